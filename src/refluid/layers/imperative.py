"""How Fluid's own layers call operators of two variables, biases and activations (paddle.fluid.dygraph_utils)."""

from __future__ import annotations

from typing import Any

from refluid.eager.inner import dygraph_only
from refluid.layers.common import activate
from refluid.layers.helper import LayerHelper
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add


@dygraph_only
def _append_activation_in_dygraph(
    input: Any, act: str | None = None, use_cudnn: bool | None = None, use_mkldnn: bool | None = None
) -> Any:
    """The activation `act` of input; input itself without one. Which library computes it is the engine's matter."""
    return input if act is None else activate(input, act, None)


@dygraph_only
def _append_bias_in_dygraph(input: Any, bias: Any = None, axis: int = 1) -> Any:
    """input plus bias from this axis on; input itself without a bias."""
    return input if bias is None else elementwise_add(input, bias, axis=axis)


@dygraph_only
def _elementwise_op_in_dygraph(
    x: Any, y: Any, axis: int = -1, act: str | None = None, use_mkldnn: bool = False, op_name: str | None = None
) -> Any:
    """An operator of two variables by its name, and the activation of its result."""
    return _append_activation_in_dygraph(registry.get(op_name or "")(x, y, axis=axis), act)


def _elementwise_op(helper: LayerHelper) -> Any:
    """The operator that a helper is named after, of its arguments x and y, with its axis and its activation."""
    given = helper.kwargs
    out = registry.get(helper.layer_type)(given["x"], given["y"], axis=given.get("axis", -1), name=helper._layer)
    return helper.append_activation(out)


def _logical_op(op_name: str, x: Any, y: Any, out: Any = None, name: str | None = None, binary_op: bool = True) -> Any:
    """logical_and and its like by name; of x alone unless `binary_op`."""
    inputs = (x, y) if binary_op else (x,)
    layer = LayerHelper(op_name, name=name)._layer
    return registry.get(op_name)(*inputs, outs=None if out is None else {"Out": out}, name=layer)
