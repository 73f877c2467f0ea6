"""fc: the fully connected layer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable, positive
from refluid.layers.common import activate, add_bias, as_list
from refluid.layers.tensor import assign
from refluid.ops.math.mul import mul
from refluid.ops.math.sum import sum as sum_op
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.create import make_parameter


@per_mode
def _taken(x: BaseVariable) -> BaseVariable:
    return x


@_taken.imperative
def _array_taken(x: BaseVariable | np.ndarray) -> BaseVariable:
    return assign(x) if isinstance(x, np.ndarray) else x


def fc(
    input: BaseVariable | Sequence[BaseVariable],
    size: int,
    num_flatten_dims: int = 1,
    param_attr: AttrLike | Sequence[AttrLike] = None,
    bias_attr: AttrLike = None,
    act: str | None = None,
    name: str | None = None,
    is_test: bool = False,
) -> BaseVariable:
    """Fully connected layer: act(sum over i of input_i @ weight_i + bias).

    Args:
        input: a float variable of at least two axes, or a list of them with a weight each.
        size: the number of output features.
        num_flatten_dims: this many leading axes are kept; the others are flattened into one.
        param_attr: settings of the weight [flattened size, size]; a list gives one for each input.
        bias_attr: settings of the bias [size]; False for no bias.
        act: the name of an activation, "relu" for example.
        is_test: no effect; some programs pass it.

    Returns:
        A variable of shape [*input.shape[:num_flatten_dims], size] with the LoD of the first input.

    Example:
        >>> x = fluid.data("x", [None, 13])
        >>> fluid.layers.fc(x, size=4, act="relu").shape
        (-1, 4)
    """
    size = positive("fc: size", size)
    layer = LayerName("fc", name)
    inputs = [_taken(x) for x in as_list(input)]
    if not inputs:
        raise ArgumentError("fc: input must be a variable or a list of at least one, got []")
    attrs = as_list(ParamAttr._to_attr(param_attr))
    if False in attrs:
        raise ArgumentError("fc: param_attr must describe a weight, got False; only bias_attr may be False")
    attrs = attrs * len(inputs) if len(attrs) == 1 else attrs
    if len(attrs) != len(inputs):
        raise ArgumentError(f"fc: {len(inputs)} inputs, but {len(attrs)} param_attr")
    products = []
    for x, attr in zip(inputs, attrs, strict=True):
        need_variable("fc: input", x)
        axes = len(x.shape) - 1 if num_flatten_dims == -1 else num_flatten_dims
        if not 0 < axes < max(len(x.shape), 2):
            raise ShapeError(
                f"fc: num_flatten_dims must be in [1, {max(len(x.shape) - 1, 1)}] for {x.name} {list(x.shape)}, "
                f"got {num_flatten_dims}"
            )
        rows = math.prod(x.shape[axes:])
        if rows <= 0:
            raise ShapeError(
                f"fc: the sizes of {x.name} {list(x.shape)} from axis {axes} on must be known; "
                "they are the rows of the weight"
            )
        weight = make_parameter(attr, [rows, size], x.dtype, layer=layer)
        products.append(mul(x, weight, x_num_col_dims=axes, y_num_col_dims=1, name=layer))
    out = products[0] if len(products) == 1 else sum_op(products, name=layer)
    axes = len(inputs[0].shape) - 1 if num_flatten_dims == -1 else num_flatten_dims
    return activate(add_bias(out, bias_attr, layer, size, axis=axes), act, layer)
