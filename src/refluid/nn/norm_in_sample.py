"""InstanceNorm, GroupNorm and SpectralNorm."""

from __future__ import annotations

import math
from collections.abc import Sequence

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.generations import generations, older
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.batch_norm import channels_of
from refluid.layers.checks import ints, positive
from refluid.layers.common import activate
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops.nn.group_norm import group_norm, instance_norm
from refluid.ops.nn.spectral_norm import spectral_norm
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.initializer import Constant, Normal


class InstanceNorm(Layer):
    """Normalize each channel of each sample of [N, C, ...] (Ulyanov et al., 2016).

    Args:
        num_channels: the number of channels C.
        epsilon: a small number added to the variance.
        param_attr: settings of the scale [C].
        bias_attr: settings of the bias [C].
        dtype: the dtype of the parameters.
    """

    def __init__(
        self,
        num_channels: int,
        epsilon: float = 1e-5,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        if param_attr is False or bias_attr is False:
            raise ArgumentError("InstanceNorm: param_attr and bias_attr must not be False; it has both")
        num_channels = positive("InstanceNorm: num_channels", num_channels)
        self._epsilon, self._param_attr, self._bias_attr = epsilon, param_attr, bias_attr
        self.scale = self.create_parameter([num_channels], param_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_channels], bias_attr, is_bias=True)

    def forward(self, input: BaseVariable) -> BaseVariable:
        out, _, _ = instance_norm(input, self.scale, self.bias, name=self.layer_name, epsilon=self._epsilon)
        return out


class GroupNorm(Layer):
    """Normalize each group of channels of each sample of [N, C, ...] (Wu and He, 2018).

    Scale and bias are made only where their settings are given, as in 1.8.

    Args:
        channels: the number of channels C.
        groups: the number of groups, a divisor of C.
        epsilon: a small number added to the variance.
        param_attr: settings of the scale [C].
        bias_attr: settings of the bias [C].
        act: the name of an activation, "relu" for example; None for none.
        data_layout: "NCHW" or "NHWC".
        dtype: the dtype of the parameters.
    """

    @generations
    def __init__(
        self,
        channels: int,
        groups: int,
        epsilon: float = 1e-5,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        act: str | None = None,
        data_layout: str = "NCHW",
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        self._set_up(groups, epsilon, param_attr, bias_attr, act, data_layout)
        self._make_parameters(channels)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self,
        name_scope: str,
        groups: int,
        epsilon: float = 1e-5,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        act: str | None = None,
        data_layout: str = "NCHW",
        dtype: Dtype = "float32",
    ) -> None:
        """The channels are those of the first input."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(groups, epsilon, param_attr, bias_attr, act, data_layout)

    def _set_up(
        self, groups: int, epsilon: float, param_attr: AttrLike, bias_attr: AttrLike, act: str | None, data_layout: str
    ) -> None:
        self._groups = positive("GroupNorm: groups", groups)
        self._epsilon, self._act, self._data_layout = epsilon, act, data_layout
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self.weight = self.bias = None
        self._channels: int | None = None

    def _make_parameters(self, channels: int) -> None:
        self._channels = positive("GroupNorm: channels", channels)
        if self._param_attr:
            self.weight = self.create_parameter([channels], self._param_attr, default_initializer=Constant(1.0))
        if self._bias_attr:
            self.bias = self.create_parameter([channels], self._bias_attr, is_bias=True)

    def _build_once(self, input: BaseVariable) -> None:
        if self._channels is None:
            self._make_parameters(channels_of("GroupNorm", input, self._data_layout))

    def forward(self, input: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        out, _, _ = group_norm(
            input, self.weight, self.bias, name=layer, epsilon=self._epsilon, groups=self._groups,
            data_layout=self._data_layout,
        )  # fmt: skip
        return activate(out, self._act, layer)


class SpectralNorm(Layer):
    """Divide a weight by its largest singular value, found by power iteration (Miyato et al., 2018).

    Args:
        weight_shape: the shape of the weight.
        dim: the axis that becomes the rows of the matrix whose singular value is meant.
        power_iters: the number of power iterations per call.
        eps: a small number that keeps the division finite.
        dtype: the dtype of the parameters.
    """

    @generations
    def __init__(self, weight_shape: Sequence[int], dim: int = 0, power_iters: int = 1, eps: float = 1e-12,
                 dtype: Dtype = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        self._dim, self._power_iters, self._eps = dim, power_iters, eps
        self._make_parameters(ints("SpectralNorm: weight_shape", weight_shape))

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(self, name_scope: str, dim: int = 0, power_iters: int = 1, eps: float = 1e-12,
                  name: str | None = None, dtype: Dtype = "float32") -> None:  # fmt: skip
        """The shape is that of the first weight."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._dim, self._power_iters, self._eps = dim, power_iters, eps
        self._weight_shape: list[int] | None = None

    def _make_parameters(self, shape: list[int]) -> None:
        if len(shape) < 2:
            raise ShapeError(f"SpectralNorm: the weight must have 2 axes or more, got {shape}")
        if not 0 <= self._dim < len(shape):
            raise ShapeError(f"SpectralNorm: dim must be an axis of the weight {shape}, got {self._dim}")
        self._weight_shape = shape
        rows = shape[self._dim]
        self.weight_u = self._vector(rows)
        self.weight_v = self._vector(math.prod(shape) // rows)

    def _vector(self, size: int) -> BaseVariable:
        vector = self.create_parameter([size], ParamAttr(), default_initializer=Normal(0.0, 1.0))
        vector.stop_gradient = True
        return vector

    def _build_once(self, weight: BaseVariable) -> None:
        if self._weight_shape is None:
            self._make_parameters(list(weight.shape))

    def forward(self, weight: BaseVariable) -> BaseVariable:
        return spectral_norm(
            weight, self.weight_u, self.weight_v, name=self.layer_name, dim=self._dim, power_iters=self._power_iters,
            eps=self._eps,
        )  # fmt: skip
