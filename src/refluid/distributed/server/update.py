"""The update at the end of a round: the blocks of the program as one plan, with the gradients that have arrived.

The program adds the gradients of all N trainers and multiplies by 1/N. A round may have fewer; its plan then adds those
that are there and multiplies by one over their number. Plans are kept by who has arrived.
"""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import TORCH, VarType
from refluid.core.errors import EnforceNotMet
from refluid.core.places import CPUPlace, device_of
from refluid.distributed.server.gradients import OF_TRAINER, Gradients
from refluid.distributed.server.schedule import counting_rounds
from refluid.distributed.server.service import Service
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Value
from refluid.executor.plan import Plan
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope


class BlocksUpdate:
    """The update of synchronous training: `optimize_blocks` of a listen_and_serv, in their order."""

    changes = None  # are asked for in geo training alone

    def __init__(self, service: Service, scope: Scope):
        self._program, self._block_numbers = counting_rounds(service, scope), service.block_numbers
        self._trainers, self._scope = service.trainers, scope
        self._plans: dict[tuple[int, ...], Plan] = {}
        self.gradients = Gradients(service)

    def _operators(self, program: Program) -> list[Operator]:
        return [op for number in self._block_numbers for op in program.blocks[number].ops]

    def taken(self, number: int, gradients: dict[str, Value]) -> dict[str, Value]:
        """The gradients of a push, as the update reads them; refused if they do not match."""
        return self.gradients.taken(number, gradients)

    def __call__(self, arrived: dict[int, dict[str, Value]]) -> None:
        numbers = tuple(sorted(arrived))
        plan = self._plans.get(numbers)
        if plan is None:
            plan = self._plans[numbers] = self._plan(numbers)
        values: dict[str, Any] = {}
        for number in numbers:  # the last one's counts where all send the same
            values.update((name, arrived[number][name]) for name in self.gradients.of(number))
        plan.run(list(values.values()), [None] * len(values), self._scope)

    def _plan(self, numbers: tuple[int, ...]) -> Plan:
        program = self._program.clone()
        block = program.global_block()
        block.ops = self._operators(program)
        for number in self._block_numbers:
            for name, var in program.blocks[number].vars.items():
                block.vars.setdefault(name, var)
        declare_once(block)
        merged: set[str] = set()
        for op in block.ops:
            self._keep_arrived(op, numbers, merged)
        program.touch()
        feeds = tuple(dict.fromkeys(name for number in numbers for name in self.gradients.of(number)))
        return Plan(program, feeds, frozenset(), (), device_of(CPUPlace()))

    def _keep_arrived(self, op: Operator, numbers: tuple[int, ...], merged: set[str]) -> None:
        """Let `sum` add the arrived gradients, and the `scale` behind it compute their mean."""
        if op.type == "sum" and all(map(OF_TRAINER.match, op.inputs["X"])):
            here = {name for number in numbers for name in self.gradients.of(number)}
            op.inputs["X"] = [name for name in op.inputs["X"] if name in here]
            merged.update(op.outputs["Out"])
            for name in op.outputs["Out"]:  # nobody asks a server for it, and what is kept is copied
                op.block._var_recursive(name).persistable = False
        elif op.type == "scale" and op.inputs["X"][0] in merged:
            if abs(op.attrs["scale"] * self._trainers - 1) < 1e-6:
                op.attrs["scale"] = 1.0 / len(numbers)
            merged.difference_update(op.inputs["X"])


def declare_once(block: Block) -> None:
    """Bodies mean the variables around them: DistributeTranspiler declares in a body again what it reads and writes."""
    for op in block.ops:
        body = op.attrs.get("sub_block")
        if isinstance(body, Block):
            body.vars = {name: var for name, var in body.vars.items() if name not in block.vars}


def held(scope: Scope, name: str) -> Value:
    """The value of a variable of the server, for a trainer."""
    var = scope.find_var(name)
    value = None if var is None else var.value
    if isinstance(value, LoDTensor):
        value = value.t
    if value is None:
        raise Refused("variable", f"this server has no value of {name}")
    if not isinstance(value, Value):
        raise EnforceNotMet(f"{name} is a {type(value).__name__}, which cannot be sent")
    return value


def bytes_of(program: Program) -> int:
    """The memory of the variables of a program, as far as shapes are declared."""
    total = 0
    for var in program.global_block().vars.values():
        if var.type in (VarType.LOD_TENSOR, VarType.SELECTED_ROWS) and var._dtype in TORCH:
            count = 1
            for size in var.shape:
                count *= max(1, size)
            total += count * TORCH[var._dtype].itemsize
    return total
