"""PipelineOptimizer: a program cut into sections, which work on different batches at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from refluid.core.errors import ArgumentError, ModeError
from refluid.core.places import CPUPlace, CUDAPlace
from refluid.eager.variable import VarBase
from refluid.ir.clone import copy_operator
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.roles import ROLE, OpRole, has_role
from refluid.ir.variable import Variable
from refluid.optim.clip import Pairs
from refluid.optim.optimizer import Optimizer, Parameters


class PipelineOptimizer:
    """Another optimizer whose program is cut into sections.

    `Executor.train_from_dataset` runs every section in threads of its own, and batches go from one to the next through
    queues. A section does not wait for the updates that earlier batches still have to make: this is asynchronous
    training, as in Fluid. `Executor.run` runs the program whole.

    Args:
        optimizer: the optimizer that makes the updates.
        cut_list: k lists of variables; the last holds the loss. Section 0 computes those of the first list, and so on;
            the sections after them compute the gradients of the same lists backwards, and the last one the rest: 2k - 1
            sections. One section holds all if it is empty.
        place_list: the place of every section.
        concurrency_list: the number of threads of every section.
        queue_size: the number of batches that may wait before a section.
        sync_steps: no effect; the threads of a process share the parameters.
        start_cpu_core_id: no effect; the operating system chooses the cores.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        cut_list: Sequence[Sequence[Variable]] | None = None,
        place_list: Sequence[CPUPlace | CUDAPlace] | None = None,
        concurrency_list: Sequence[int] | None = None,
        queue_size: int = 30,
        sync_steps: int = 1,
        start_cpu_core_id: int = 0,
    ):
        self._optimizer = optimizer
        self._cut_list = [list(cut) for cut in cut_list or []]
        self._place_list = place_list
        self._concurrency_list = concurrency_list
        self._queue_size = queue_size
        self._sync_steps = sync_steps
        self._start_cpu_core_id = start_cpu_core_id

    def minimize(
        self,
        loss: Variable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Iterable[Variable | str] | None = None,
    ) -> tuple[Any, Pairs]:
        """Minimize the loss and cut the program into sections.

        Args:
            loss: the variable to minimize, with one element.
            startup_program: the program that initializes the accumulators; the default one if None.
            parameter_list: the parameters to update, in place of the optimizer's own list.
            no_grad_set: variables, or their names, that get no gradient.

        Returns:
            (update operators, [(parameter, gradient)]).
        """
        if isinstance(loss, VarBase):
            raise ModeError("PipelineOptimizer: it works on programs; the imperative mode is on")
        result = self._optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)
        program = loss.block.program
        sections = cut(program, self._cut_list)
        places = self._for_every_section("place_list", self._place_list, CPUPlace(), len(sections))
        threads = self._for_every_section("concurrency_list", self._concurrency_list, 1, len(sections))
        parameters = {parameter.name for parameter in program.global_block().all_parameters()}
        program._pipeline_opt = {
            "trainer": "PipelineTrainer",
            "device_worker": "Section",
            "section_program_list": sections,
            "place_list": places,
            "concurrency_list": threads,
            "queue_size": self._queue_size,
            "start_cpu_core_id": self._start_cpu_core_id,
            "sync_steps": self._sync_steps,
            "param_need_sync": [
                name
                for section, place in zip(sections, places, strict=True)
                if isinstance(place, CUDAPlace)
                for name in section["program"].global_block().vars
                if name in parameters
            ],
        }
        return result

    def _for_every_section(
        self, argument: str, settings: Sequence[Any] | None, default: object, count: int
    ) -> list[Any]:
        if settings is None:
            return [default] * count
        if len(settings) != count:
            raise ArgumentError(
                f"PipelineOptimizer: {argument} must have one entry for each of the {count} sections "
                f"(2 * {len(self._cut_list)} - 1 for this cut_list), got {len(settings)}"
            )
        return list(settings)


def cut(program: Program, cut_list: list[list[Variable]]) -> list[dict[str, Any]]:
    """The sections: {"program", "input_set": what it reads from outside, "output_set": what later ones read of it}."""
    if not cut_list:
        return [{"program": program, "input_set": set(), "output_set": set()}]
    left = list(program.global_block().ops)
    parts: list[list[Operator]] = []
    trained: list[set[str]] = []  # the parameters of the forward sections
    parameters = {parameter.name for parameter in program.global_block().all_parameters()}
    for i, targets in enumerate(_targets(cut_list)):
        part = _needed_for(targets, [op for op in left if not has_role(op.attrs, OpRole.Optimize)])
        if i == 0:
            part += [op for op in left if int(op.attrs.get(ROLE, 0)) == OpRole.LRSched and op not in part]
        left = [op for op in left if op not in part]
        if i < len(cut_list):
            trained.append({name for op in part for name in op.input_arg_names if name in parameters})
        if i >= len(cut_list) - 1:  # a section updates the parameters whose gradients it has computed
            updates = _needed_for(trained[2 * len(cut_list) - 2 - i], left)
            left = [op for op in left if op not in updates]
            part += updates
        parts.append(part)
    parts.append(left)
    return _linked([_section(program, part) for part in parts])


def _targets(cut_list: list[list[Variable]]) -> list[set[str]]:
    """What each section but the last computes: the cuts, then their gradients backwards, the last with the loss."""
    forward = [{var.name for var in variables} for variables in cut_list[:-1]]
    backward = [{f"{name}@GRAD" for name in names} for names in reversed(forward)]
    loss = {var.name for var in cut_list[-1]}
    if not backward:
        return [loss]
    return [*forward, *backward[:-1], backward[-1] | loss]


def _needed_for(targets: Iterable[str], ops: list[Operator]) -> list[Operator]:
    wanted = set(targets)
    needed = []
    for op in reversed(ops):
        if wanted.intersection(op.output_arg_names) or (op.type == "print" and wanted.intersection(op.input_arg_names)):
            wanted.update(op.input_arg_names)
            needed.append(op)
    return needed[::-1]


def _section(source: Program, ops: list[Operator]) -> dict[str, Any]:
    program = Program()
    program.random_seed = source.random_seed
    block = program.global_block()
    read: set[str] = set()
    for op in ops:
        if op.sub_block is not None:
            raise ArgumentError(f"PipelineOptimizer: {op.type} runs a block of its own, which no section can hold yet")
        for name in (*op.input_arg_names, *op.output_arg_names):
            if name not in block.vars and (var := source.global_block().vars.get(name)) is not None:
                block._clone_variable(var, False)
        read.update(op.input_arg_names)
        block.ops.append(copy_operator(block, op))
    program.touch()
    written = {name for op in ops for name in op.output_arg_names}
    inputs = {name for name in read if name not in written or block.vars[name].persistable}
    return {"program": program, "input_set": inputs, "output_set": written}


def _linked(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    later: set[str] = set()
    for section in reversed(sections):
        section["output_set"] &= later
        later |= section["input_set"]
    return sections
