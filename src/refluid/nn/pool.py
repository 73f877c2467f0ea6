"""Pool2D."""

from __future__ import annotations

from typing import cast

from refluid.core.errors import ArgumentError
from refluid.core.generations import generations, older
from refluid.core.types import Dtype, Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import Padding, pair
from refluid.layers.conv import split_padding
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops import registry


class Pool2D(Layer):
    """Max or average pooling of images [N, C, H, W].

    Args:
        pool_size: the window, a number or [height, width].
        pool_type: "max" or "avg".
        pool_stride: a number or [height, width].
        pool_padding: a number or [height, width].
        global_pooling: pool over the whole image; pool_size is not used.
        use_cudnn: no effect.
        ceil_mode: round output sizes up instead of down.
        exclusive: padding does not count in averages.

    Example:
        >>> with fluid.dygraph.guard():
        ...     pool = fluid.dygraph.Pool2D(pool_size=2, pool_type="avg", pool_stride=2)
        ...     pool(fluid.dygraph.to_variable(np.ones((1, 3, 8, 8), "float32"))).shape
        [1, 3, 4, 4]
    """

    @generations
    def __init__(
        self, pool_size: Ints = -1, pool_type: str = "max", pool_stride: Ints = 1, pool_padding: Padding = 0,
        global_pooling: bool = False, use_cudnn: bool = True, ceil_mode: bool = False, exclusive: bool = True,
    ):  # fmt: skip
        super().__init__()
        self._set_up(pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn, ceil_mode, exclusive)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self, name_scope: str, pool_size: Ints = -1, pool_type: str = "max", pool_stride: Ints = 1,
        pool_padding: Padding = 0, global_pooling: bool = False, use_cudnn: bool = True, ceil_mode: bool = False,
        exclusive: bool = True, dtype: Dtype = "float32",
    ) -> None:  # fmt: skip
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn, ceil_mode, exclusive)

    def _set_up(
        self, pool_size: Ints, pool_type: str, pool_stride: Ints, pool_padding: Padding, global_pooling: bool,
        use_cudnn: bool, ceil_mode: bool, exclusive: bool,
    ) -> None:  # fmt: skip
        if pool_type not in ("max", "avg"):
            raise ArgumentError(f"Pool2D: pool_type must be 'max' or 'avg', got {pool_type!r}")
        if pool_size == -1 and not global_pooling:
            raise ArgumentError("Pool2D: pool_size must be given unless global_pooling=True")
        self._pool_type, self._pool_size = pool_type, pair(pool_size)
        self._pool_stride, self._pool_padding = pair(pool_stride), pair(cast(Ints, pool_padding))
        self._global_pooling, self._use_cudnn = global_pooling, use_cudnn
        self._ceil_mode, self._exclusive = ceil_mode, exclusive

    def forward(self, input: BaseVariable) -> BaseVariable:
        paddings, algorithm = split_padding("Pool2D", self._pool_padding, 2, "NCHW")
        out, _ = registry.get("pool2d")(
            input, name=self.layer_name, pooling_type=self._pool_type, ksize=self._pool_size,
            global_pooling=self._global_pooling, strides=self._pool_stride, paddings=paddings,
            padding_algorithm=algorithm, use_cudnn=self._use_cudnn, ceil_mode=self._ceil_mode, use_mkldnn=False,
            exclusive=self._exclusive,
        )  # fmt: skip
        return out
