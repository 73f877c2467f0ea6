"""The update of asynchronous training: gradients are applied by their blocks, under the blocks' locks.

The blocks of small gradients run as one plan, which costs less than many. Large ones have plans of their own, so that
those of several trainers are applied in parallel.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import torch

from refluid.core.places import CPUPlace, device_of
from refluid.distributed.server.changes import Changes
from refluid.distributed.server.gradients import Gradients
from refluid.distributed.server.schedule import counters_of
from refluid.distributed.server.service import Service
from refluid.distributed.server.update import declare_once
from refluid.distributed.server.wire import Value
from refluid.distributed.transpile.config import DistributedMode
from refluid.executor.plan import Plan
from refluid.executor.runtime import put
from refluid.ir.program import Program
from refluid.tensor.scope import Scope
from refluid.tensor.selected_rows import SelectedRows

_TRAINER_ID = "@TRAINER_ID@"
_LARGE = 1 << 18  # elements of a gradient that is applied alone
_MOST_TOGETHER = 16  # sets of gradients that have a plan; pushes that vary more go block by block


class BlockwiseUpdate:
    """`optimize_blocks` of a listen_and_serv: plans of one block or several.

    The schedule of the learning rate runs before the first push, and again after every push: with the steps that the
    push tells of added to its trainer's counter.
    """

    def __init__(self, service: Service, scope: Scope):
        self._service, self._scope = service, scope
        self._program = _with_shared_kept(service)
        self.gradients = Gradients(service)
        self.changes = Changes() if service.mode == DistributedMode.GEO else None
        self._counters = counters_of(service)
        self._locks = {number: threading.RLock() for number in service.block_numbers}
        self._planning = threading.Lock()
        self._plans: dict[tuple[str, ...], Plan] = {}  # by the gradients
        self._block_of_param = {
            name: number
            for number in service.block_numbers
            for op in service.program.blocks[number].ops
            for name in op.output_arg_names
        }
        self._schedule = self._plan([service.schedule], ()) if service.schedule != -1 else None
        self._run_schedule()
        self.delays = service.delays
        for number in range(service.trainers if self.delays else 0):
            self.seen(number, list(self._block_of_param))

    def taken(self, number: int, gradients: dict[str, Value]) -> dict[str, Value]:
        """The gradients of a push, as the update reads them; a push may have only some of the gradients."""
        return self.gradients.taken(number, gradients, all_of_them=False)

    def reading(self, name: str) -> threading.RLock:
        """Held while a variable is updated."""
        return self._locks[self._block_of_param.get(name, self._service.block_numbers[0])]

    def __call__(self, number: int, gradients: dict[str, Value]) -> None:
        applied = {name: value for name, value in gradients.items() if name not in self._counters}
        for names in self._together(applied):
            self._apply(number, {name: applied[name] for name in names})
        counted = {name: value for name, value in gradients.items() if name in self._counters}
        if counted:
            self._count(counted)

    def _together(self, gradients: dict[str, Value]) -> Iterator[tuple[str, ...]]:
        """The gradients that one plan applies."""
        small = tuple(name for name, value in gradients.items() if value.numel() < _LARGE)
        with self._planning:
            known = small in self._plans or sum(len(names) > 1 for names in self._plans) < _MOST_TOGETHER
        if known and small:
            yield small
        yield from ((name,) for name in gradients if not known or name not in small)

    def _apply(self, number: int, gradients: dict[str, Value]) -> None:
        names = tuple(gradients)
        blocks = sorted({self._service.block_of[name] for name in names})
        with ExitStack() as locked:
            for block in blocks:  # in the same order everywhere, to avoid deadlocks
                locked.enter_context(self._locks[block])
            with self._planning:
                plan = self._plans.get(names)
                if plan is None:
                    feeds = (*names, _TRAINER_ID) if self._service.delays else names
                    plan = self._plans[names] = self._plan(blocks, feeds)
            values: list[Any] = [*gradients.values(), torch.tensor([number])][: len(plan.feeds)]
            plan.run(values, [None] * len(values), self._scope)
            if self.changes is not None:
                self._note(self.changes, gradients)

    def _note(self, changes: Changes, gradients: dict[str, Value]) -> None:
        for name, value in gradients.items():
            if isinstance(value, SelectedRows):
                param = self._service.param_of[name]
                changes.note(param, self._scope.var(param).value.t, value.index)

    def seen(self, number: int, names: list[str]) -> None:
        """Record the parameters sent to a trainer: DC-ASGD corrects its next gradients by them."""
        for name in names if self.delays else ():
            backup = f"{name}.trainer_{number}_bak"
            if self._program.global_block().has_var(backup):
                with self.reading(name):
                    put(self._scope.var(backup), self._scope.var(name).value.t, False)

    def _count(self, counted: dict[str, Value]) -> None:
        with self._locks[self._service.schedule]:
            for name, steps in counted.items():
                var = self._scope.var(name)
                put(var, var.value.t + steps, True)
            self._run_schedule()

    def _run_schedule(self) -> None:
        if self._schedule is not None:
            self._schedule.run([], [], self._scope)

    def _plan(self, numbers: list[int], feeds: tuple[str, ...]) -> Plan:
        program = self._program.clone()
        block, parts = program.global_block(), [program.blocks[number] for number in numbers]
        block.ops = [op for part in parts for op in part.ops]
        for part in parts:
            for name, var in part.vars.items():
                block.vars.setdefault(name, var)
        declare_once(block)
        for name in feeds:
            block.vars[name].persistable = False
        program.touch()
        return Plan(program, feeds, frozenset(), (), device_of(CPUPlace()))


def _with_shared_kept(service: Service) -> Program:
    """The program, where what one block computes and another reads, as a learning rate, outlives its block.

    So do the copies of parameters that trainers have seen (DC-ASGD).
    """
    program = service.program.clone()
    block = program.global_block()
    written: dict[str, int] = {}
    for number in service.block_numbers:
        for op in program.blocks[number].ops:
            for name in op.output_arg_names:
                written.setdefault(name, number)
    for number in service.block_numbers:
        for op in program.blocks[number].ops:
            for name in op.input_arg_names:
                shared = written.get(name, number) != number or (op.type == "ref_by_trainer_id" and name != _TRAINER_ID)
                if shared and block.has_var(name):
                    block.var(name).persistable = True
    return program
