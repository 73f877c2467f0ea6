"""The imperative mode as Fluid's compiled half switches and asks it (paddle.fluid.core)."""

from __future__ import annotations

from refluid.core import mode
from refluid.core.places import Place
from refluid.eager.base import tape
from refluid.eager.grad import grad
from refluid.eager.strategy import BackwardStrategy
from refluid.eager.variable import VarBase
from refluid.ir.recorder import recorder


def _switch_tracer(tracer: object) -> None:
    """The imperative mode from now on if there is a tracer, the static mode if it is None."""
    mode.switch(recorder if tracer is None else tape())


def dygraph_partial_grad(
    inputs: list[VarBase],
    outputs: list[VarBase],
    grad_outputs: list[VarBase | None],
    no_grad_vars: list[VarBase],
    place: Place | None,
    strategy: BackwardStrategy,
    create_graph: bool,
    retain_graph: bool,
    allow_unused: bool,
    only_inputs: bool,
) -> list[VarBase | None]:
    """`fluid.dygraph.grad`, with inputs first."""
    return grad(
        outputs, inputs, grad_outputs or None, retain_graph, create_graph, only_inputs, allow_unused,
        no_grad_vars or None, strategy,
    )  # fmt: skip
