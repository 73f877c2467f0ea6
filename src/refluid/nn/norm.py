"""BatchNorm and LayerNorm."""

from __future__ import annotations

import math
from typing import Any

from refluid.core.errors import ShapeError
from refluid.core.generations import generations, older
from refluid.core.mode import per_mode
from refluid.core.types import Dtype, Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import positive
from refluid.layers.common import activate, activate_own
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer, in_programs
from refluid.ops import registry
from refluid.ops.nn.layer_norm import layer_norm
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.initializer import Constant


class BatchNorm(Layer):
    """Normalize every channel over the batch: scale * (x - mean) / sqrt(variance + epsilon) + bias.

    While training, mean and variance are those of the batch, and running statistics follow them:
    running = momentum * running + (1 - momentum) * batch. While evaluating, the running statistics are used.

    Args:
        num_channels: the number of channels C.
        act: the name of an activation, "relu" for example; None for none.
        is_test: use running statistics; in programs alone, in the imperative mode `train()` and `eval()` decide.
        momentum: decay rate of the running statistics.
        epsilon: a small number added to the variance.
        param_attr: settings of the scale [C].
        bias_attr: settings of the bias [C].
        dtype: the dtype of the parameters.
        data_layout: "NCHW" or "NHWC".
        in_place: no effect; memory is reused anyway.
        moving_mean_name: the name of the running mean.
        moving_variance_name: the name of the running variance.
        do_model_average_for_mean_and_var: whether ModelAverage averages the running statistics.
        use_global_stats: use running statistics while training too.
        trainable_statistics: use the statistics of the batch while evaluating too.
    """

    @generations
    def __init__(
        self, num_channels: int, act: str | None = None, is_test: bool = False, momentum: float = 0.9,
        epsilon: float = 1e-5, param_attr: AttrLike = None, bias_attr: AttrLike = None, dtype: Dtype = "float32",
        data_layout: str = "NCHW", in_place: bool = False, moving_mean_name: str | None = None,
        moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False, trainable_statistics: bool = False,
    ):  # fmt: skip
        super().__init__(dtype=dtype)
        self._is_old = False
        self._set_up(act, is_test, momentum, epsilon, data_layout, use_global_stats, trainable_statistics)
        self._make_parameters(num_channels, param_attr, bias_attr, moving_mean_name, moving_variance_name,
                              do_model_average_for_mean_and_var)  # fmt: skip

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self, name_scope: str, num_channels: int, act: str | None = None, is_test: bool = False, momentum: float = 0.9,
        epsilon: float = 1e-5, param_attr: AttrLike = None, bias_attr: AttrLike = None, dtype: Dtype = "float32",
        data_layout: str = "NCHW", in_place: bool = False, moving_mean_name: str | None = None,
        moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = False,
        fuse_with_relu: bool = False, use_global_stats: bool = False, trainable_statistics: bool = False,
    ) -> None:  # fmt: skip
        """With is_test, running statistics are used in either mode."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._is_old = True
        self._set_up(act, is_test, momentum, epsilon, data_layout, use_global_stats, trainable_statistics)
        self._make_parameters(num_channels, param_attr, bias_attr, moving_mean_name, moving_variance_name,
                              do_model_average_for_mean_and_var)  # fmt: skip

    def _set_up(
        self, act: str | None, is_test: bool, momentum: float, epsilon: float, data_layout: str,
        use_global_stats: bool, trainable_statistics: bool,
    ) -> None:  # fmt: skip
        self._act, self._is_test, self._momentum, self._epsilon = act, is_test, momentum, epsilon
        self._data_layout, self._use_global_stats = data_layout, use_global_stats
        self._trainable_statistics = trainable_statistics

    def _make_parameters(
        self,
        num_channels: int,
        param_attr: AttrLike,
        bias_attr: AttrLike,
        mean_name: str | None,
        variance_name: str | None,
        average: bool,
    ) -> None:
        shape = [positive("BatchNorm: num_channels", num_channels)]
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self.weight = self.create_parameter(shape, param_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter(shape, bias_attr, is_bias=True)
        self._mean = self._statistic(shape, mean_name, 0.0, average)
        self._variance = self._statistic(shape, variance_name, 1.0, average)

    def _statistic(self, shape: list[int], name: str | None, value: float, average: bool) -> BaseVariable:
        attr = ParamAttr(name=name, initializer=Constant(value), trainable=False, do_model_average=average)
        statistic = self.create_parameter(shape, attr)
        statistic.stop_gradient = True
        return statistic

    def forward(self, input: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        told = self._is_test and (self._is_old or in_programs(True))
        outs = registry.get("batch_norm")(
            input, self.weight, self.bias, self._mean, self._variance, name=layer, outs=_written(self),
            momentum=self._momentum, epsilon=self._epsilon, is_test=told or not self.training,
            data_layout=self._data_layout, use_mkldnn=False, fuse_with_relu=False,
            use_global_stats=self._use_global_stats, trainable_statistics=self._trainable_statistics,
        )  # fmt: skip
        return activate_own(outs[0], self._act, layer)


@per_mode
def _written(layer: BatchNorm) -> dict[str, Any] | None:
    """The statistics, where the operator has to name them; the kernel writes over them where they are."""
    return {"MeanOut": layer._mean, "VarianceOut": layer._variance}


@_written.imperative
def _where_they_are(layer: BatchNorm) -> dict[str, Any] | None:
    return None


_written.tracing(_written.recorded)


class LayerNorm(Layer):
    """Normalize every sample over its last axes: scale * (x - mean) / sqrt(variance + epsilon) + bias.

    Args:
        normalized_shape: the sizes of the axes to normalize over, the last ones of the input.
        scale: whether there is a scale.
        shift: whether there is a bias.
        epsilon: a small number added to the variance.
        param_attr: settings of the scale [product of normalized_shape].
        bias_attr: settings of the bias [product of normalized_shape].
        act: the name of an activation, "relu" for example; None for none.
        dtype: the dtype of the parameters.
    """

    @generations
    def __init__(
        self, normalized_shape: Ints, scale: bool = True, shift: bool = True, epsilon: float = 1e-5,
        param_attr: AttrLike = None, bias_attr: AttrLike = None, act: str | None = None, dtype: Dtype = "float32",
    ):  # fmt: skip
        super().__init__(dtype=dtype)
        self._set_up(scale, shift, epsilon, param_attr, bias_attr, act)
        sizes = list(normalized_shape) if isinstance(normalized_shape, list | tuple) else [normalized_shape]
        self._make_parameters([positive("LayerNorm: normalized_shape", size) for size in sizes])

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self, name_scope: str, scale: bool = True, shift: bool = True, begin_norm_axis: int = 1,
        epsilon: float = 1e-5, param_attr: AttrLike = None, bias_attr: AttrLike = None, act: str | None = None,
        dtype: Dtype = "float32",
    ) -> None:  # fmt: skip
        """The features are those of the first input from begin_norm_axis on."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(scale, shift, epsilon, param_attr, bias_attr, act)
        self._begin_norm_axis = begin_norm_axis

    def _set_up(
        self, scale: bool, shift: bool, epsilon: float, param_attr: AttrLike, bias_attr: AttrLike, act: str | None
    ) -> None:
        self._scale, self._shift, self._epsilon, self._act = scale, shift, epsilon, act
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self.weight = self.bias = None
        self._normalized_shape: list[int] | None = None

    def _make_parameters(self, shape: list[int]) -> None:
        self._normalized_shape = shape
        size = [math.prod(shape)]
        if self._scale:
            self.weight = self.create_parameter(size, self._param_attr, default_initializer=Constant(1.0))
        if self._shift:
            self.bias = self.create_parameter(size, self._bias_attr, is_bias=True)

    def _build_once(self, input: BaseVariable) -> None:
        if self._normalized_shape is None:
            self._make_parameters(list(input.shape[self._begin_norm_axis :]))

    def forward(self, input: BaseVariable) -> BaseVariable:
        ending = self._normalized_shape or []
        axis = len(input.shape) - len(ending)
        if list(input.shape[axis:]) != ending:
            raise ShapeError(f"LayerNorm: the input must end in {ending}, got {list(input.shape)}")
        layer = self.layer_name
        out, _, _ = layer_norm(input, self.weight, self.bias, epsilon=self._epsilon, begin_norm_axis=axis, name=layer)
        return activate(out, self._act, layer)
