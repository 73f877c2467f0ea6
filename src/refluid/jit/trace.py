"""Trace: the mode in which operators run at once and are recorded into a program as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from refluid.core import unique_name
from refluid.core.callsite import user_site
from refluid.core.mode import PerMode
from refluid.eager.base import on_tape, tape
from refluid.eager.tape import Tape
from refluid.eager.variable import VarBase
from refluid.ir.variable import Variable
from refluid.jit.capture import Capture
from refluid.jit.errors import TranslationError
from refluid.jit.runtime.structure import flatten
from refluid.ops.registry import OpDef

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Trace(Tape):
    """A tape that also records its calls.

    A variable that was computed from the inputs has a shadow, the variable of the program that stands for it. What
    Python does with its value is lost in the program, so it is refused: the program would do for all inputs what was
    right for these.
    """

    def __init__(self, inputs: list[VarBase]):
        around = tape()
        super().__init__(around.device, around)
        self.recording = around.recording
        self.capture = Capture()
        self.feeds = [self.capture.feed(f"feed_{i}", var, tuple(var.shape)) for i, var in enumerate(inputs)]
        self._shadows = {id(var): feed for var, feed in zip(inputs, self.feeds, strict=True)}
        self._kept: list[object] = list(inputs)  # so that no other variable gets the id of one that has died

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """Calls inside are traced."""
        around = tape()
        with on_tape(self):
            yield
        around.remember(self.recording)

    def shadow(self, var: object) -> Variable | None:
        """The variable of the program for one that was computed from the inputs."""
        return self._shadows.get(id(var))

    def rule(self, function: PerMode) -> Callable:
        return function.traced or super().rule(function)

    def run(self, op: OpDef, inputs: tuple, attrs: dict[str, Any], outs: dict[str, Any] | None, name: object) -> Any:
        shadows = tuple(self._mapped(value) for value in inputs)
        targets = None if outs is None else {slot: self._mapped(value) for slot, value in outs.items()}
        depends = any(self.shadow(value) is not None for value in flatten(list(inputs)))
        result = super().run(op, inputs, attrs, outs, name)
        with self.capture.building():
            recorded = self.capture.run(op, shadows, attrs, targets, name)
        for slot_outs, shadow in zip(_slots(op, result), _slots(op, recorded), strict=True):
            for out, variable in zip(flatten(slot_outs), flatten(shadow), strict=False):
                if type(out) is VarBase and isinstance(variable, Variable) and not out.persistable:
                    self._kept.append(out)
                    if depends:
                        self._shadows[id(out)] = variable
                    else:  # of parameters and constants alone: Python may look at it
                        self.capture.known[id(out)] = variable
        return result

    def expose(self, var: object) -> None:
        shadow = self.shadow(var)
        if shadow is None:
            return
        raise TranslationError(
            f"TracedLayer.trace: Python asks for the value of {shadow.name}, which depends on the inputs; the "
            "program would hold the answer for these inputs for ever. If the value decides what is computed "
            "(if, while, for), decorate forward with @declarative (ProgramTranslator) instead of tracing it",
            [("source", str(user_site()))],
        )

    def note_copy(self, copied: object, var: object) -> None:
        shadow = self.shadow(var)
        if shadow is None:
            return
        name = unique_name.generate(f"{shadow.name}.detach")
        copied_var = shadow.block.create_var(name=name, shape=shadow.shape, dtype=shadow._dtype)
        shadow.block.append_op("assign", {"X": shadow}, {"Out": copied_var})
        copied_var.stop_gradient = True
        self._kept.append(copied)
        self._shadows[id(copied)] = copied_var

    def _mapped(self, value: Structure) -> Structure:
        if isinstance(value, list | tuple):
            return [self._mapped(one) for one in value]
        shadow = self.shadow(value)
        return value if shadow is None else shadow


def _slots(op: OpDef, result: Structure) -> list[Any]:
    return [result] if op.single else list(result)
