"""fc: the fully connected layer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from refluid.core import mode
from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.layers.common import activate, add_bias, as_list
from refluid.layers.numbers import need_variable, positive
from refluid.layers.tensor import assign
from refluid.ops.math.mul import mul
from refluid.ops.math.sum import sum as sum_op
from refluid.params.attr import ParamAttr
from refluid.params.create import make_parameter


def fc(
    input: Any,
    size: int,
    num_flatten_dims: int = 1,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: Any = None,
    name: str | None = None,
    is_test: bool = False,
) -> Any:
    """act(sum of input_i . weight_i + bias).

    Args:
        input: a variable, or a list of them with a weight each.
        size: the number of outputs.
        num_flatten_dims: this many axes stay; the others are flattened into columns.
        param_attr, bias_attr: settings of weights and bias; bias_attr=False means no bias.
        act: the name of an activation.
    Returns:
        A variable of shape [*input.shape[:num_flatten_dims], size]; it carries the LoD of its input.
    """
    size = positive("fc: size", size)
    layer = LayerName("fc", name)
    inputs = [assign(x) if isinstance(x, np.ndarray) and mode.current.imperative else x for x in as_list(input)]
    attrs = as_list(ParamAttr._to_attr(param_attr))
    attrs = attrs * len(inputs) if len(attrs) == 1 else attrs
    if len(attrs) != len(inputs):
        raise ArgumentError(f"fc: {len(inputs)} inputs, but {len(attrs)} param_attr")
    products = []
    for x, attr in zip(inputs, attrs, strict=True):
        need_variable("fc: input", x)
        axes = len(x.shape) - 1 if num_flatten_dims == -1 else num_flatten_dims
        rows = math.prod(x.shape[axes:])
        if rows <= 0 or not 0 < axes < max(len(x.shape), 2):
            raise ShapeError(
                f"fc: the sizes of {x.name} {list(x.shape)} from axis {axes} on must be known; "
                "they are the rows of the weight"
            )
        weight = make_parameter(attr, [rows, size], x.dtype, layer=layer)
        products.append(mul(x, weight, x_num_col_dims=axes, y_num_col_dims=1, name=layer))
    out = products[0] if len(products) == 1 else sum_op(products, name=layer)
    axes = len(inputs[0].shape) - 1 if num_flatten_dims == -1 else num_flatten_dims
    return activate(add_bias(out, bias_attr, layer, size, axis=axes), act, layer)
