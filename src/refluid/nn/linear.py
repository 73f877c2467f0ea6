"""Linear and FC: the fully connected layers of 1.7 and of 1.4/1.5."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable, positive
from refluid.layers.common import Activation, activate, activate_in_place
from refluid.nn.generations import in_scope
from refluid.nn.layer import Layer
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.math.fc import fc
from refluid.ops.math.matmul import matmul
from refluid.ops.math.mul import mul
from refluid.ops.math.sum import sum as sum_op
from refluid.params.attr import AttrLike


class Linear(Layer):
    """act(input @ weight + bias) over the last axis of the input.

    Args:
        input_dim: the size of the last axis of the input.
        output_dim: the size of the last axis of the output.
        param_attr: settings of the weight [input_dim, output_dim].
        bias_attr: settings of the bias [output_dim]; False for no bias.
        act: the name of an activation, "relu" for example; None for none.
        dtype: the dtype of the parameters.

    Example:
        >>> with fluid.dygraph.guard():
        ...     linear = paddle.nn.Linear(4, 2)
        ...     y = linear(fluid.dygraph.to_variable(np.ones((3, 4), "float32")))
        >>> y.shape, [param.shape for param in linear.parameters()]
        ([3, 2], [[4, 2], [2]])
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        act: Activation = None,
        dtype: Dtype = "float32",
    ):
        super().__init__()
        input_dim, output_dim = positive("Linear: input_dim", input_dim), positive("Linear: output_dim", output_dim)
        if param_attr is False:
            raise ArgumentError("Linear: param_attr must not be False; it has a weight")
        self._act, self._dtype, self._input_dim = act, dtype, input_dim
        self.weight = self.create_parameter([input_dim, output_dim], param_attr, dtype)
        self.bias = self.create_parameter([output_dim], bias_attr, dtype, is_bias=True)

    def forward(self, input: BaseVariable) -> BaseVariable:
        weight, bias, shape = self.weight, self.bias, input.shape
        if shape[-1] != self._input_dim:
            raise ShapeError(
                f"Linear: the last axis of the input must have {self._input_dim} elements, got {list(shape)}"
            )
        return _affine(input, len(shape), weight, bias, self._act, self.layer_name)


@per_mode
def _affine(
    x: BaseVariable, axes: int, weight: BaseVariable, bias: BaseVariable | None, act: Activation, layer: LayerName
) -> BaseVariable:
    out = matmul(x, weight, transpose_X=False, transpose_Y=False, alpha=1.0, name=layer)
    if bias is not None:
        out = elementwise_add(out, bias, axis=axes - 1, name=layer)
    return activate(out, act, layer)


@_affine.imperative
def _affine_in_one(
    x: BaseVariable, axes: int, weight: BaseVariable, bias: BaseVariable | None, act: Activation, layer: LayerName
) -> BaseVariable:
    """Product and bias by one operator, and an activation that writes over their result."""
    if bias is None or axes == 1:
        return _affine.recorded(x, axes, weight, bias, act, layer)
    return activate_in_place(fc(x, weight, bias, in_num_col_dims=axes - 1), act, layer)


_affine.tracing(_affine.recorded)


class FC(Layer):
    """act(sum over i of input_i @ weight_i + bias); the sizes of the inputs are taken from the first call.

    Args:
        name_scope: prefix of the parameter names.
        size: the number of output features.
        num_flatten_dims: this many leading axes are kept; the others are flattened into one.
        param_attr: settings of the weight [flattened size, size]; a list gives one for each input.
        bias_attr: settings of the bias [size]; False for no bias.
        act: the name of an activation, "relu" for example; None for none.
        is_test: no effect; programs of 1.4 pass it.
        dtype: the dtype of the parameters.
    """

    def __init__(
        self,
        name_scope: str,
        size: int,
        num_flatten_dims: int = 1,
        param_attr: AttrLike | Sequence[AttrLike] = None,
        bias_attr: AttrLike = None,
        act: Activation = None,
        is_test: bool = False,
        dtype: Dtype = "float32",
    ):
        super().__init__(in_scope(name_scope, self), dtype)
        self._size, self._num_flatten_dims = positive("FC: size", size), num_flatten_dims
        self._param_attr, self._bias_attr, self._act = param_attr, bias_attr, act

    def _build_once(self, input: BaseVariable | Sequence[BaseVariable]) -> None:
        inputs = _inputs(input)
        attrs = self._param_attr if isinstance(self._param_attr, list | tuple) else [self._param_attr] * len(inputs)
        if len(attrs) != len(inputs):
            raise ArgumentError(f"FC: {len(inputs)} inputs, but {len(attrs)} param_attr")
        for i, (x, attr) in enumerate(zip(inputs, attrs, strict=True)):
            rows = math.prod(x.shape[self._num_flatten_dims :])
            self.add_parameter(f"_w{i}", self.create_parameter([rows, self._size], attr, self._dtype))
        self.add_parameter("_b", self.create_parameter([self._size], self._bias_attr, self._dtype, is_bias=True))

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__({"weight": "_w0", "bias": "_b"}.get(name, name), value)

    @property
    def weight(self) -> BaseVariable:
        return self._parameters.get("_w0")

    @property
    def bias(self) -> BaseVariable | None:
        return self._parameters.get("_b")

    def forward(self, input: BaseVariable | Sequence[BaseVariable]) -> BaseVariable:
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


def _inputs(given: BaseVariable | Sequence[BaseVariable]) -> list[BaseVariable]:
    inputs: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    for x in inputs:
        need_variable("FC: input", x)
    return inputs
