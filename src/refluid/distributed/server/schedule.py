"""The step counters of a learning rate schedule, where every trainer sends its own."""

from __future__ import annotations

import torch

from refluid.distributed.server.gradients import OF_TRAINER
from refluid.distributed.server.service import Service
from refluid.executor.runtime import put
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.tensor.scope import Scope


def counters_of(service: Service) -> set[str]:
    """The counters that trainers add their steps to: `@LR_DECAY_COUNTER@.trainer_0`, ..."""
    op = _sum_of_counters(service, service.program)
    return set(op.input("X")) if op is not None else set()


def counting_rounds(service: Service, scope: Scope) -> Program:
    """The program for synchronous training by a Communicator: its schedule counts rounds, from 0.

    Its transpiled program sums the steps of all trainers, as asynchronous training does. In 1.8.5 the sum stays
    constant, and the learning rate never changes; by a barrier of the program itself it counts rounds.
    """
    if not counters_of(service):
        return service.program
    program = service.program.clone()
    op = _sum_of_counters(service, program)
    assert op is not None
    total = op.output("Out")
    op.type, op.inputs, op.attrs["step"] = "increment", {"X": total}, 1.0
    put(scope.var(total[0]), torch.full([1], -1, dtype=torch.int64), True)
    return program


def _sum_of_counters(service: Service, program: Program) -> Operator | None:
    ops = program.blocks[service.schedule].ops if service.schedule != -1 else []
    return next((op for op in ops if op.type == "sum" and all(map(OF_TRAINER.match, op.input("X")))), None)
