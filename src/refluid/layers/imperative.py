"""Activations and biases as Fluid's own imperative layers append them (paddle.fluid.dygraph_utils)."""

from __future__ import annotations

from typing import Any

from refluid.eager.inner import dygraph_only
from refluid.layers.common import activate
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
