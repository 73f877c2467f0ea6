"""Linear and FC: the fully connected layers of 1.7 and of 1.4/1.5."""

from __future__ import annotations

import math
from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers.common import activate, activate_own
from refluid.layers.numbers import need_variable, positive
from refluid.nn.generations import scoped_name
from refluid.nn.layer import Layer
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.math.fc import fc
from refluid.ops.math.matmul import matmul
from refluid.ops.math.mul import mul
from refluid.ops.math.sum import sum as sum_op


class Linear(Layer):
    """act(input . weight + bias) over the last axis.

    Args:
        input_dim, output_dim: sizes of the last axis before and after.
        param_attr, bias_attr: settings of weight and bias; bias_attr=False means no bias.
        act: the name of an activation.
    """

    def __init__(self, input_dim: int, output_dim: int, param_attr: Any = None, bias_attr: Any = None, act: Any = None,
                 dtype: Any = "float32"):  # fmt: skip
        super().__init__()
        input_dim, output_dim = positive("Linear: input_dim", input_dim), positive("Linear: output_dim", output_dim)
        if param_attr is False:
            raise ArgumentError("Linear: param_attr must not be False; it has a weight")
        self._act, self._dtype, self._input_dim = act, dtype, input_dim
        self.weight = self.create_parameter([input_dim, output_dim], param_attr, dtype)
        self.bias = self.create_parameter([output_dim], bias_attr, dtype, is_bias=True)

    def forward(self, input: Any) -> Any:
        weight, bias, shape = self.weight, self.bias, input.shape
        if shape[-1] != self._input_dim:
            raise ShapeError(
                f"Linear: the last axis of the input must have {self._input_dim} elements, got {list(shape)}"
            )
        if bias is not None and mode.current.fuses and len(shape) > 1:
            out = fc(input, weight, bias, in_num_col_dims=len(shape) - 1)
            return out if self._act is None else activate_own(out, self._act, self.layer_name)
        layer = self.layer_name
        out = matmul(input, weight, transpose_X=False, transpose_Y=False, alpha=1.0, name=layer)
        if bias is not None:
            out = elementwise_add(out, bias, axis=len(shape) - 1, name=layer)
        return out if self._act is None else activate(out, self._act, layer)


class FC(Layer):
    """act(sum of input_i . weight_i + bias); the sizes of the inputs are taken from the first call.

    Args:
        name_scope: what the layer is named after.
        size: the number of outputs.
        num_flatten_dims: this many axes stay; the others are flattened into columns.
    """

    def __init__(self, name_scope: str, size: int, num_flatten_dims: int = 1, param_attr: Any = None,
                 bias_attr: Any = None, act: Any = None, is_test: bool = False, dtype: Any = "float32"):  # fmt: skip
        super().__init__(name_scope, dtype)
        self._full_name = scoped_name(name_scope, self)
        self._size, self._num_flatten_dims = positive("FC: size", size), num_flatten_dims
        self._param_attr, self._bias_attr, self._act = param_attr, bias_attr, act

    def _build_once(self, input: Any) -> None:
        inputs = _inputs(input)
        attrs = self._param_attr if isinstance(self._param_attr, list | tuple) else [self._param_attr] * len(inputs)
        if len(attrs) != len(inputs):
            raise ArgumentError(f"FC: {len(inputs)} inputs, but {len(attrs)} param_attr")
        for i, (x, attr) in enumerate(zip(inputs, attrs, strict=True)):
            rows = math.prod(x.shape[self._num_flatten_dims :])
            self.add_parameter(f"_w{i}", self.create_parameter([rows, self._size], attr, self._dtype))
        self.add_parameter("_b", self.create_parameter([self._size], self._bias_attr, self._dtype, is_bias=True))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__({"weight": "_w0", "bias": "_b"}.get(name, name), value)

    @property
    def weight(self) -> Any:
        return self._parameters.get("_w0")

    @property
    def bias(self) -> Any:
        return self._parameters.get("_b")

    def forward(self, input: Any) -> Any:
        inputs, weights = _inputs(input), len(self._parameters) - 1
        if len(inputs) != weights:
            raise ArgumentError(f"FC: the first call had {weights} inputs, this one has {len(inputs)}")
        layer = self.layer_name
        products = [
            mul(x, self._parameters[f"_w{i}"], x_num_col_dims=self._num_flatten_dims, y_num_col_dims=1, name=layer)
            for i, x in enumerate(inputs)
        ]
        out = products[0] if len(products) == 1 else sum_op(products, name=layer)
        if self._parameters["_b"] is not None:
            out = elementwise_add(out, self._parameters["_b"], axis=self._num_flatten_dims, name=layer)
        return activate(out, self._act, layer)


def _inputs(given: Any) -> list[Any]:
    inputs = list(given) if isinstance(given, list | tuple) else [given]
    for one in inputs:
        need_variable("FC: input", one)
    return inputs
