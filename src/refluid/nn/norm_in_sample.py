"""InstanceNorm, GroupNorm and SpectralNorm in the spellings of 1.5 and 1.7."""

from __future__ import annotations

import math
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers.batch_norm import channels_of
from refluid.layers.common import activate
from refluid.layers.numbers import ints, positive
from refluid.nn.generations import bind, need, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops.nn.group_norm import group_norm, instance_norm
from refluid.ops.nn.spectral_norm import spectral_norm
from refluid.params.attr import ParamAttr
from refluid.params.initializer import Constant, Normal


class InstanceNorm(Layer):
    """Normalises each channel of each sample of [N, C, ...] (Ulyanov et al., 2016)."""

    def __init__(self, num_channels: int, epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None,
                 dtype: Any = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        if param_attr is False or bias_attr is False:
            raise ArgumentError("InstanceNorm: param_attr and bias_attr must not be False; it has both")
        num_channels = positive("InstanceNorm: num_channels", num_channels)
        self._epsilon, self._param_attr, self._bias_attr = epsilon, param_attr, bias_attr
        self.scale = self.create_parameter([num_channels], param_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_channels], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        out, _, _ = instance_norm(input, self.scale, self.bias, name=self.layer_name, epsilon=self._epsilon)
        return out


class GroupNorm(Layer):
    """Normalises each group of channels of each sample (Wu and He, 2018).

    1.7: GroupNorm(channels, groups, epsilon=1e-5, param_attr=None, bias_attr=None, act=None, data_layout='NCHW',
         dtype='float32')
    1.5: GroupNorm(name_scope, groups, epsilon=1e-5, ...); channels are taken from the first input
    Gain and bias are made where their attribute is given, as in 1.8.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        order = "groups epsilon param_attr bias_attr act data_layout dtype"
        given = {
            "epsilon": 1e-5, "param_attr": None, "bias_attr": None, "act": None, "data_layout": "NCHW",
            "dtype": "float32", **bind(order if scope is not None else f"channels {order}", args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, "groups", *(("channels",) if scope is None else ()))
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        self._groups = positive("GroupNorm: groups", given["groups"])
        self._epsilon, self._act = given["epsilon"], given["act"]
        self._data_layout = given["data_layout"]
        self._param_attr, self._bias_attr = given["param_attr"], given["bias_attr"]
        self.weight = self.bias = None
        self._channels = given.get("channels")
        if self._channels is not None:
            self._make_parameters(self._channels)

    def _make_parameters(self, channels: int) -> None:
        self._channels = positive("GroupNorm: channels", channels)
        if self._param_attr:
            self.weight = self.create_parameter([channels], self._param_attr, default_initializer=Constant(1.0))
        if self._bias_attr:
            self.bias = self.create_parameter([channels], self._bias_attr, is_bias=True)

    def _build_once(self, input: Any) -> None:
        if self._channels is None:
            self._make_parameters(channels_of("GroupNorm", input, self._data_layout))

    def forward(self, input: Any) -> Any:
        layer = self.layer_name
        out, _, _ = group_norm(
            input, self.weight, self.bias, name=layer, epsilon=self._epsilon, groups=self._groups,
            data_layout=self._data_layout,
        )  # fmt: skip
        return activate(out, self._act, layer)


class SpectralNorm(Layer):
    """A weight divided by its largest singular value, found by power iteration (Miyato et al., 2018).

    1.7: SpectralNorm(weight_shape, dim=0, power_iters=1, eps=1e-12, dtype='float32')
    1.5: SpectralNorm(name_scope, dim=0, power_iters=1, eps=1e-12, name=None); the shape is that of the first weight
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        order = "weight_shape dim power_iters eps dtype" if scope is None else "dim power_iters eps name dtype"
        given = {
            "dim": 0, "power_iters": 1, "eps": 1e-12, "dtype": "float32", "weight_shape": None,
            **bind(order, args, kwargs, type(self)),
        }  # fmt: skip
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        else:
            need(type(self), given, "weight_shape")
        self._dim, self._power_iters, self._eps = given["dim"], given["power_iters"], given["eps"]
        self._weight_shape: list[int] | None = None
        if given["weight_shape"] is not None:
            self._make_parameters(ints("SpectralNorm: weight_shape", given["weight_shape"]))

    def _make_parameters(self, shape: list[int]) -> None:
        if len(shape) < 2:
            raise ShapeError(f"SpectralNorm: the weight must have 2 axes or more, got {shape}")
        if not 0 <= self._dim < len(shape):
            raise ShapeError(f"SpectralNorm: dim must be an axis of the weight {shape}, got {self._dim}")
        self._weight_shape = shape
        rows = shape[self._dim]
        self.weight_u = self._vector(rows)
        self.weight_v = self._vector(math.prod(shape) // rows)

    def _vector(self, size: int) -> Any:
        vector = self.create_parameter([size], ParamAttr(), default_initializer=Normal(0.0, 1.0))
        vector.stop_gradient = True
        return vector

    def _build_once(self, weight: Any) -> None:
        if self._weight_shape is None:
            self._make_parameters(list(weight.shape))

    def forward(self, weight: Any) -> Any:
        return spectral_norm(
            weight, self.weight_u, self.weight_v, name=self.layer_name, dim=self._dim, power_iters=self._power_iters,
            eps=self._eps,
        )  # fmt: skip
