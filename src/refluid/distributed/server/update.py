"""What a server does at the end of a round: the blocks of its program as one plan, with the gradients that have come.

The program adds the gradients of all N trainers and multiplies by 1/N. A round may have fewer; its plan then adds those
that are there and multiplies by one over their number. Plans are kept by who has arrived.
"""

from __future__ import annotations

import re
from typing import Any

from refluid.core.dtypes import TORCH, VarType
from refluid.core.errors import EnforceNotMet
from refluid.core.places import CPUPlace, device_of
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Value
from refluid.executor.plan import Plan
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope
from refluid.tensor.selected_rows import SelectedRows

_OF_TRAINER = re.compile(r"(.+)\.trainer_(\d+)$")


class BlocksUpdate:
    """The update of synchronous training: `optimize_blocks` of a listen_and_serv, in their order."""

    def __init__(self, program: Program, block_numbers: list[int], trainers: int, scope: Scope):
        self._program, self._block_numbers = program, block_numbers
        self._trainers, self._scope = trainers, scope
        self._plans: dict[tuple[int, ...], Plan] = {}
        self.gradients = self._gradients()

    def _gradients(self) -> dict[int, list[str]]:
        """What each trainer sends."""
        found: dict[int, list[str]] = {number: [] for number in range(self._trainers)}
        for op in self._operators(self._program):
            for name in op.input_arg_names if op.type == "sum" else ():
                if (parts := _OF_TRAINER.match(name)) and int(parts[2]) in found:
                    found[int(parts[2])].append(name)
        return found

    def _operators(self, program: Program) -> list[Operator]:
        return [op for number in self._block_numbers for op in program.blocks[number].ops]

    def check(self, number: int, gradients: dict[str, Value]) -> None:
        """Refuse what the update could not take, before it is in the round."""
        expected = self.gradients[number]
        if set(gradients) != set(expected):
            lacks, has = sorted(set(expected) - set(gradients)), sorted(set(gradients) - set(expected))
            told = [f"lacks {', '.join(lacks[:5])}"] if lacks else []
            told += [f"has {', '.join(has[:5])}, which this server does not take"] if has else []
            raise Refused("program", f"trainer {number} runs another program than this server: it {' and '.join(told)}")
        for name, value in gradients.items():
            self._check_value(number, name, value)

    def _check_value(self, number: int, name: str, value: Value) -> None:
        var = self._program.global_block().find_var(name)
        if var is None:
            return
        shape, dtype = list(var.shape), TORCH.get(var._dtype)
        if dtype is not None and value.dtype != dtype:
            raise Refused("program", f"trainer {number} sends {name} as {value.dtype}, but the program has {dtype}")
        if isinstance(value, SelectedRows):
            index = value.index
            if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < value.n_rows:
                raise Refused("program", f"trainer {number} sends rows of {name} beyond its height {value.n_rows}")
        fits = len(shape) == len(value.shape) and all(a in (-1, b) for a, b in zip(shape, value.shape, strict=True))
        if shape and not fits:
            raise Refused("program", f"trainer {number} sends {name} of shape {list(value.shape)}, not {shape}")

    def __call__(self, arrived: dict[int, dict[str, Value]]) -> None:
        numbers = tuple(sorted(arrived))
        plan = self._plans.get(numbers)
        if plan is None:
            plan = self._plans[numbers] = self._plan(numbers)
        values: list[Any] = [arrived[number][name] for number in numbers for name in self.gradients[number]]
        plan.run(values, [None] * len(values), self._scope)

    def _plan(self, numbers: tuple[int, ...]) -> Plan:
        program = self._program.clone()
        block = program.global_block()
        block.ops = self._operators(program)
        for number in self._block_numbers:
            for name, var in program.blocks[number].vars.items():
                block.vars.setdefault(name, var)
        merged: set[str] = set()
        for op in block.ops:
            self._keep_arrived(op, numbers, merged)
        program.touch()
        feeds = tuple(name for number in numbers for name in self.gradients[number])
        return Plan(program, feeds, frozenset(), (), device_of(CPUPlace()))

    def _keep_arrived(self, op: Operator, numbers: tuple[int, ...], merged: set[str]) -> None:
        """Let `sum` add what has come, and the `scale` behind it take the mean of that."""
        if op.type == "sum" and all(map(_OF_TRAINER.match, op.inputs["X"])):
            here = {name for number in numbers for name in self.gradients[number]}
            op.inputs["X"] = [name for name in op.inputs["X"] if name in here]
            merged.update(op.outputs["Out"])
        elif op.type == "scale" and op.inputs["X"][0] in merged:
            if abs(op.attrs["scale"] * self._trainers - 1) < 1e-6:
                op.attrs["scale"] = 1.0 / len(numbers)
            merged.difference_update(op.inputs["X"])


def held(scope: Scope, name: str) -> Value:
    """The value of a variable of the server, for a trainer."""
    var = scope.find_var(name)
    value = None if var is None else var.value
    if isinstance(value, LoDTensor):
        value = value.t
    if value is None:
        raise Refused("variable", f"this server has no value of {name}")
    if not isinstance(value, Value):
        raise EnforceNotMet(f"{name} is a {type(value).__name__}, which does not travel")
    return value


def bytes_of(program: Program) -> int:
    """How much memory the variables of a program take, as far as it says."""
    total = 0
    for var in program.global_block().vars.values():
        if var.type in (VarType.LOD_TENSOR, VarType.SELECTED_ROWS) and var._dtype in TORCH:
            count = 1
            for size in var.shape:
                count *= max(1, size)
            total += count * TORCH[var._dtype].itemsize
    return total
