"""BatchNorm and LayerNorm in the spellings of 1.5 and 1.7."""

from __future__ import annotations

import math
from typing import Any

from refluid.core import mode
from refluid.core.errors import ShapeError
from refluid.layers.common import activate, activate_own
from refluid.layers.numbers import positive
from refluid.nn.generations import bind, need, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.ops.nn.layer_norm import layer_norm
from refluid.params.attr import ParamAttr
from refluid.params.initializer import Constant

_BATCH = (
    "num_channels act is_test momentum epsilon param_attr bias_attr dtype data_layout in_place moving_mean_name "
    "moving_variance_name do_model_average_for_mean_and_var {}use_global_stats trainable_statistics"
)


class BatchNorm(Layer):
    """Normalises every channel over the batch; running statistics while evaluating.

    BatchNorm([name_scope,] num_channels, act=None, is_test=False, momentum=0.9, epsilon=1e-5, param_attr=None,
    bias_attr=None, dtype='float32', data_layout='NCHW', in_place=False, moving_mean_name=None,
    moving_variance_name=None, do_model_average_for_mean_and_var=True, use_global_stats=False,
    trainable_statistics=False); the name scope is of 1.4 and 1.5, which have fuse_with_relu=False behind the averages.
    1.5: with is_test, running statistics are used. 1.7: `is_test` holds in programs alone; in the imperative mode,
    `train()` and `eval()` decide.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        given = {
            "act": None, "is_test": False, "momentum": 0.9, "epsilon": 1e-5, "param_attr": None, "bias_attr": None,
            "dtype": "float32", "data_layout": "NCHW", "moving_mean_name": None, "moving_variance_name": None,
            "do_model_average_for_mean_and_var": scope is None, "use_global_stats": False,
            "trainable_statistics": False,
            **bind(_BATCH.format("" if scope is None else "fuse_with_relu "), args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, "num_channels")
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        shape = [positive("BatchNorm: num_channels", given["num_channels"])]
        self._act, self._is_test, self._is_old = given["act"], given["is_test"], scope is not None
        self._param_attr, self._bias_attr = given["param_attr"], given["bias_attr"]
        self._momentum, self._epsilon = given["momentum"], given["epsilon"]
        self._data_layout, self._use_global_stats = given["data_layout"], given["use_global_stats"]
        self._trainable_statistics = given["trainable_statistics"]
        self.weight = self.create_parameter(shape, given["param_attr"], default_initializer=Constant(1.0))
        self.bias = self.create_parameter(shape, given["bias_attr"], is_bias=True)
        average = given["do_model_average_for_mean_and_var"]
        self._mean = self._statistic(shape, given["moving_mean_name"], 0.0, average)
        self._variance = self._statistic(shape, given["moving_variance_name"], 1.0, average)

    def _statistic(self, shape: list[int], name: str | None, value: float, average: bool) -> Any:
        attr = ParamAttr(name=name, initializer=Constant(value), trainable=False, do_model_average=average)
        statistic = self.create_parameter(shape, attr)
        statistic.stop_gradient = True
        return statistic

    def forward(self, input: Any) -> Any:
        layer = self.layer_name
        told = self._is_test and (self._is_old or not mode.current.imperative)
        # The kernel writes over the statistics where they are; programs name them.
        written = None if mode.current.fuses else {"MeanOut": self._mean, "VarianceOut": self._variance}
        outs = registry.get("batch_norm")(
            input, self.weight, self.bias, self._mean, self._variance, name=layer, outs=written,
            momentum=self._momentum, epsilon=self._epsilon, is_test=told or not self.training,
            data_layout=self._data_layout, use_mkldnn=False, fuse_with_relu=False,
            use_global_stats=self._use_global_stats, trainable_statistics=self._trainable_statistics,
        )  # fmt: skip
        return activate_own(outs[0], self._act, layer)


class LayerNorm(Layer):
    """Normalises every sample over its own features.

    1.7: LayerNorm(normalized_shape, scale=True, shift=True, epsilon=1e-5, param_attr=None, bias_attr=None, act=None,
         dtype='float32')
    1.5: LayerNorm(name_scope, scale=True, shift=True, begin_norm_axis=1, epsilon=1e-5, param_attr=None,
         bias_attr=None, act=None); the features are those of the first input from begin_norm_axis on.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        order = "scale shift epsilon param_attr bias_attr act dtype"
        if scope is not None:
            order = "scale shift begin_norm_axis epsilon param_attr bias_attr act dtype"
        else:
            order = "normalized_shape " + order
        given = {
            "scale": True, "shift": True, "epsilon": 1e-5, "param_attr": None, "bias_attr": None, "act": None,
            "dtype": "float32", "begin_norm_axis": 1, "normalized_shape": None, **bind(order, args, kwargs, type(self)),
        }  # fmt: skip
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        else:
            need(type(self), given, "normalized_shape")
        self._epsilon, self._act = given["epsilon"], given["act"]
        self._scale, self._shift, self._begin_norm_axis = given["scale"], given["shift"], given["begin_norm_axis"]
        self._param_attr, self._bias_attr = given["param_attr"], given["bias_attr"]
        self.weight = self.bias = self._normalized_shape = None
        shape = given["normalized_shape"]
        if shape is not None:
            sizes = list(shape) if isinstance(shape, list | tuple) else [shape]
            self._make_parameters([positive("LayerNorm: normalized_shape", size) for size in sizes])

    def _make_parameters(self, shape: list[int]) -> None:
        self._normalized_shape = shape
        size = [math.prod(shape)]
        if self._scale:
            self.weight = self.create_parameter(size, self._param_attr, default_initializer=Constant(1.0))
        if self._shift:
            self.bias = self.create_parameter(size, self._bias_attr, is_bias=True)

    def _build_once(self, input: Any) -> None:
        if self._normalized_shape is None:
            self._make_parameters(list(input.shape[self._begin_norm_axis :]))

    def forward(self, input: Any) -> Any:
        axis = len(input.shape) - len(self._normalized_shape)
        if list(input.shape[axis:]) != list(self._normalized_shape):
            raise ShapeError(f"LayerNorm: the input must end in {self._normalized_shape}, got {list(input.shape)}")
        layer = self.layer_name
        out, _, _ = layer_norm(input, self.weight, self.bias, epsilon=self._epsilon, begin_norm_axis=axis, name=layer)
        return activate(out, self._act, layer)
