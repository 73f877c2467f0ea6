"""Tracer: the name that programs of 1.5 to 1.8 have for what runs operators in the imperative mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.generations import generations, older
from refluid.core.mode import per_mode
from refluid.eager.base import tape
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir.block import Block

if TYPE_CHECKING:
    from refluid.ir.operator import Operator


def _no_type_first(args: tuple, kwargs: dict[str, Any]) -> bool:
    return "op" in kwargs or (len(args) > 1 and not isinstance(args[1], str))


class Tracer:
    """Runs operators by their type, and switches whether they are recorded for gradients.

    Args:
        block: no effect.
    """

    def __init__(self, block: Block | None = None):
        self._block = block
        self._vars: dict[str, VarBase] = {}

    def trace_var(self, name: str, var: VarBase) -> None:
        """Keep a variable; `all_parameters` lists the parameters among them."""
        self._vars[name] = var

    def all_parameters(self) -> list[ParamBase]:
        return [var for var in self._vars.values() if isinstance(var, ParamBase)]

    @property
    def _train_mode(self) -> bool:
        return tape().recording

    @_train_mode.setter
    def _train_mode(self, on: bool) -> None:
        tape().remember(bool(on))

    def train_mode(self) -> None:
        """What is called from now on is remembered for gradients."""
        tape().remember(True)

    def eval_mode(self) -> None:
        """Nothing that is called from now on is remembered."""
        tape().remember(False)

    @generations
    def trace_op(
        self,
        type: str,
        inputs: dict[str, Any],
        outputs: dict[str, Any],
        attrs: dict[str, Any] | None = None,
        stop_gradient: bool = False,
    ) -> None:
        """Run an operator and write its results.

        Args:
            type: the name of an operator.
            inputs: {slot: variable or list of variables}.
            outputs: {slot: variable or list of variables} that take the results.
            attrs: its attributes.
        """
        tape().append_at_once(type, inputs, outputs, attrs, stop_gradient)

    @older(trace_op, before="1.6", when=_no_type_first)
    def _trace_op_1_5(self, op: Operator, inputs: Any, outputs: Any, stop_gradient: bool = False) -> None:
        """`op` has a type and attributes."""
        self.trace_op(op.type, inputs, outputs, dict(op.attrs), stop_gradient)

    trace = trace_op


_tracer = Tracer()


@per_mode
def _dygraph_tracer() -> Tracer | None:
    """The tracer while the imperative mode is on."""
    return None


@_dygraph_tracer.imperative
def _the_tracer() -> Tracer | None:
    return _tracer
