"""Tracer: the name that programs of 1.5 to 1.8 have for what runs operators in the imperative mode."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.eager.base import enabled, tape
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase


class Tracer:
    """Runs operators by their type, and switches whether they are remembered for gradients."""

    def __init__(self, block: Any = None):
        self._block = block
        self._vars: dict[str, VarBase] = {}

    def trace_var(self, name: str, var: VarBase) -> None:
        """Keep a variable; `all_parameters` lists the parameters among them."""
        self._vars[name] = var

    def all_parameters(self) -> list[ParamBase]:
        return [var for var in self._vars.values() if isinstance(var, ParamBase)]

    @property
    def _train_mode(self) -> bool:
        return tape.recording

    @_train_mode.setter
    def _train_mode(self, on: bool) -> None:
        tape.recording = bool(on)

    def train_mode(self) -> None:
        """What is called from now on is remembered for gradients."""
        tape.recording = True

    def eval_mode(self) -> None:
        """Nothing that is called from now on is remembered."""
        tape.recording = False

    def trace_op(
        self,
        op: Any = None,
        inputs: Any = None,
        outputs: Any = None,
        attrs: Any = None,
        stop_gradient: bool = False,
        type: str | None = None,
    ) -> None:
        """Run an operator and write its results.

        Args:
            op: the name of an operator (`type` in 1.8), or something with `type` and `attrs`, as 1.5 took it.
            inputs: {slot: variable or list of variables}.
            outputs: {slot: variable or list of variables} that take the results.
            attrs: its attributes; 1.5 had `stop_gradient` in this place.
        """
        if isinstance(attrs, bool):
            attrs, stop_gradient = None, attrs
        if hasattr(op, "type"):
            op, attrs = op.type, dict(op.attrs)
        type = type or op
        if not isinstance(type, str):
            raise ArgumentError("trace_op: type, the name of an operator, is missing")
        tape.append(type, inputs, outputs, attrs, stop_gradient)

    trace = trace_op


_tracer = Tracer()


def _dygraph_tracer() -> Tracer | None:
    """The tracer while the imperative mode is on."""
    return _tracer if enabled() else None
