"""Pool2D in the spellings of 1.4, 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.layers.common import pair
from refluid.layers.conv import split_padding
from refluid.nn.generations import bind, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops import registry

_SETTINGS = "pool_size pool_type pool_stride pool_padding global_pooling use_cudnn ceil_mode exclusive dtype"


class Pool2D(Layer):
    """The largest or the mean of every window of images.

    Pool2D([name_scope,] pool_size=-1, pool_type='max', pool_stride=1, pool_padding=0, global_pooling=False,
    use_cudnn=True, ceil_mode=False, exclusive=True); the name scope is of 1.4 and 1.5.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        given = {
            "pool_size": -1, "pool_type": "max", "pool_stride": 1, "pool_padding": 0, "global_pooling": False,
            "use_cudnn": True, "ceil_mode": False, "exclusive": True, "dtype": "float32",
            **bind(_SETTINGS, args, kwargs, type(self)),
        }  # fmt: skip
        if given["pool_type"] not in ("max", "avg"):
            raise ArgumentError(f"Pool2D: pool_type must be 'max' or 'avg', got {given['pool_type']!r}")
        if given["pool_size"] == -1 and not given["global_pooling"]:
            raise ArgumentError("Pool2D: pool_size must be given unless global_pooling=True")
        super().__init__()
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        self._pool_type, self._pool_size = given["pool_type"], pair(given["pool_size"])
        self._pool_stride, self._pool_padding = pair(given["pool_stride"]), pair(given["pool_padding"])
        self._global_pooling, self._use_cudnn = given["global_pooling"], given["use_cudnn"]
        self._ceil_mode, self._exclusive = given["ceil_mode"], given["exclusive"]

    def forward(self, input: Any) -> Any:
        paddings, algorithm = split_padding("Pool2D", self._pool_padding, 2, "NCHW")
        out, _ = registry.get("pool2d")(
            input, name=self.layer_name, pooling_type=self._pool_type, ksize=self._pool_size,
            global_pooling=self._global_pooling, strides=self._pool_stride, paddings=paddings,
            padding_algorithm=algorithm, use_cudnn=self._use_cudnn, ceil_mode=self._ceil_mode, use_mkldnn=False,
            exclusive=self._exclusive,
        )  # fmt: skip
        return out
