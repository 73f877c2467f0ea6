"""Capture: a program is recorded while imperative parameters and constants take part in it as they are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from refluid.core import dtypes, mode, random, unique_name
from refluid.core.errors import ModeError
from refluid.core.naming import Names
from refluid.core.warn import warn_once
from refluid.eager.base import recording, tape
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir.program import Program, default_main_program, program_guard
from refluid.ir.recorder import Recorder
from refluid.ir.variable import Variable
from refluid.jit.runtime.structure import flatten
from refluid.ops.registry import OpDef
from refluid.ops.shape.fill_like import fill_any_like

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Capture(Recorder):
    """The recorder of one program. An imperative variable that an operator reads becomes a persistable variable of the
    program; `bound` says which imperative variable it stands for.
    """

    def __init__(self) -> None:
        self.program, self.startup = Program(), Program()
        self.program.random = Ongoing()
        self.bound: dict[str, VarBase] = {}
        self.known: dict[int, Variable] = {}
        self._names = unique_name.UniqueNameGenerator()

    def run(self, op: OpDef, inputs: tuple, attrs: dict[str, Any], outs: dict[str, Any] | None, name: object) -> Any:
        inputs = tuple(self._mapped(value) for value in inputs)
        if outs is not None:
            outs = {slot: self._mapped(value) for slot, value in outs.items()}
        is_python = isinstance(name, Names) and name.of_python
        if is_python and attrs.get("axis") == 0:  # `x + y` lines up at the last axis, as in the imperative mode
            attrs = {**attrs, "axis": -1}
        if is_python and op.type == "fill_constant_batch_size_like" and min(attrs["shape"][1:], default=1) < 0:
            # `1 / x` makes the number a tensor like x: programs of Fluid know all its sizes but the first, ours not.
            op, attrs = fill_any_like, {"value": attrs["value"], "dtype": attrs["dtype"]}
        result = super().run(op, inputs, attrs, outs, name)
        if outs is not None and op.has_gradient and tape().recording:
            self._reach(inputs, outs)
        if not tape().recording and outs is None:
            for out in result if isinstance(result, tuple) else (result,):
                for var in out if isinstance(out, list) else [out]:
                    if var is not None:
                        var.stop_gradient = True
        return result

    def accepts(self, var: object) -> bool:
        return True

    def overwritten(self, var: object) -> dict[str, Any] | None:
        return None  # as in the imperative mode

    def warn_of_constant(self, message: str) -> None:
        warn_once(message)

    def _reach(self, inputs: tuple, outs: dict[str, Any]) -> None:
        """Gradients go through a variable that a result is written to (`out=`), as in the imperative mode."""
        if all(one is None or one.stop_gradient for one in flatten(list(inputs))):
            return
        for one in flatten(list(outs.values())):
            if one is not None and not one.persistable and dtypes.is_floating(one.dtype):
                one.stop_gradient = False

    def _mapped(self, value: object) -> Structure:
        if isinstance(value, VarBase):
            return self.variable(value)
        return [self._mapped(one) for one in value] if isinstance(value, list | tuple) else value

    def variable(self, var: VarBase) -> Variable:
        """The variable of the program that stands for an imperative one."""
        known = self.known.get(id(var))
        if known is not None:
            return known
        if not isinstance(var._t, torch.Tensor):
            raise ModeError(f"{var.name} holds no tensor, so it cannot be part of a program")
        name, n = var.name, 0
        while name in self.program.global_block().vars:
            n += 1
            name = f"{var.name}_{n}"
        options: dict[str, Any] = {"name": name, "shape": var.shape, "dtype": var.dtype, "lod_level": var.lod_level}
        block = self.program.global_block()
        if isinstance(var, ParamBase) and var.shape:
            recorded: Variable = block.create_parameter(**options, trainable=var.trainable, regularizer=var.regularizer)
        else:
            recorded = block.create_var(**options, persistable=True)
        recorded.stop_gradient = var.stop_gradient
        self.known[id(var)] = recorded
        self.bound[name] = var
        return recorded

    def feed(self, name: str, var: VarBase, shape: tuple[int, ...]) -> Variable:
        """An input of the program."""
        made = self.program.global_block().create_var(
            name=name, shape=shape, dtype=var.dtype, lod_level=var.lod_level, is_data=True,
            stop_gradient=var.stop_gradient,
        )  # fmt: skip
        return made

    @contextlib.contextmanager
    def building(self) -> Iterator[None]:
        """Operators called inside are recorded; names count on from the last time."""
        with (
            mode.using(self), program_guard(self.program, self.startup), unique_name.guard(self._names), recording(True)
        ):  # fmt: skip
            yield


class Ongoing(random.RandomState):
    """The random state of whatever imperative program is running, so that both draw from one stream.

    While the program is recorded, that is the one that was running when recording began.
    """

    def __init__(self) -> None:
        self._around = default_main_program().random

    def _state(self) -> random.RandomState:
        state = default_main_program().random
        return self._around if isinstance(state, Ongoing) else state

    @property
    def seed(self) -> int:
        return self._state().seed

    @seed.setter
    def seed(self, value: int) -> None:
        """Programs that are copied hand their seed on; this one has none of its own."""

    @property
    def stream(self) -> torch.Generator:
        return self._state().stream

    @stream.setter
    def stream(self, value: torch.Generator) -> None:
        pass
