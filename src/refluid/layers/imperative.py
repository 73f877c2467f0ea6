"""How Fluid's own layers call operators of two variables, biases and activations (paddle.fluid.dygraph_utils)."""

from __future__ import annotations

from refluid.core.naming import LayerName
from refluid.eager.inner import dygraph_only
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import activate
from refluid.layers.helper import LayerHelper
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add


@dygraph_only
def _append_activation_in_dygraph(
    input: BaseVariable, act: str | None = None, use_cudnn: bool | None = None, use_mkldnn: bool | None = None
) -> BaseVariable:
    """The activation `act` of input; input itself without one. The last two arguments have no effect."""
    return input if act is None else activate(input, act, LayerName(act))


@dygraph_only
def _append_bias_in_dygraph(input: BaseVariable, bias: BaseVariable | None = None, axis: int = 1) -> BaseVariable:
    """input plus bias from this axis on; input itself without a bias."""
    return input if bias is None else elementwise_add(input, bias, axis=axis)


@dygraph_only
def _elementwise_op_in_dygraph(
    x: BaseVariable,
    y: BaseVariable,
    axis: int = -1,
    act: str | None = None,
    use_mkldnn: bool = False,
    op_name: str | None = None,
) -> BaseVariable:
    """An operator of two variables by its name, and the activation of its result."""
    return _append_activation_in_dygraph(registry.get(op_name or "")(x, y, axis=axis), act)


def _elementwise_op(helper: LayerHelper) -> BaseVariable:
    """The operator that a helper is named after, of its arguments x and y, with its axis and its activation."""
    arguments = helper.kwargs
    out = registry.get(helper.layer_type)(
        arguments["x"], arguments["y"], axis=arguments.get("axis", -1), name=helper._layer
    )
    return helper.append_activation(out)


def _logical_op(
    op_name: str,
    x: BaseVariable,
    y: BaseVariable | None,
    out: BaseVariable | None = None,
    name: str | None = None,
    binary_op: bool = True,
) -> BaseVariable:
    """logical_and and its like by name; of x alone unless `binary_op`."""
    inputs = (x, y) if binary_op else (x,)
    layer = LayerHelper(op_name, name=name)._layer
    return registry.get(op_name)(*inputs, outs=None if out is None else {"Out": out}, name=layer)
