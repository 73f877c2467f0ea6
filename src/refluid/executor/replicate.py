"""A program for several places: what depends on the data is written once per place, everything else once.

Note [Places of one machine]: Fluid gives every place a copy of the parameters and sums the gradients between them. The
copies are always equal, so here they are one, and so is all that is computed from parameters and summed gradients: the
clipping, the decay, the updates, the rates. The rest, the forward and backward pass, is written once per place,
with the names of places after the first marked. A persistable that a place changes by itself (statistics of batch_norm)
is a copy on places after the first; what stays in the scope is that of the first place, as in Fluid.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

from refluid.core.errors import ArgumentError
from refluid.executor.step import NO_STEPS
from refluid.ir.block import Block
from refluid.ir.clone import clone, copy_operator
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.program import Program
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole, has_role
from refluid.ir.variable import Variable
from refluid.ops.signature import GRAD_SUFFIX


@dataclass
class Replicated:
    """A program for `count` places. `split` are the names that every place has a value of its own for."""

    program: Program
    count: int
    split: frozenset[str]

    def name(self, name: str, place: int) -> str:
        """What a variable of the original program is called on a place."""
        return _on(name, place) if name in self.split else name


def replicate(program: Program, count: int, feeds: Iterable[str], gradient_scale: float | None) -> Replicated:
    """The program for `count` places that are fed `feeds` each.

    gradient_scale: what the gradient of the loss starts from on every place; None: it is fed.
    """
    ops = [op for op in program.global_block().ops if op.type not in NO_STEPS]
    if gradient_scale is None:
        ops = [op for op in ops if not _starts_backward(op)]
    analysis = _Analysis(ops, feeds)
    _check_updates(analysis, program.global_block())
    copied = clone(program)
    copied.random = program.random
    copied.readers = []
    writer = _Writer(copied, analysis, count, gradient_scale)
    writer.write()
    return Replicated(copied, count, frozenset(analysis.split - set(analysis.summed_after)))


def _on(name: str, place: int) -> str:
    if not place or name == EMPTY:
        return name
    base, mark, rest = name.partition(GRAD_SUFFIX)  # gradients of the variables of a place are named after those
    return f"{base}@place{place}{mark}{rest}"


class _Analysis:
    """Which operators every place runs for itself."""

    def __init__(self, ops: list[Operator], feeds: Iterable[str]) -> None:
        self.ops = ops
        self.reads = [(set(op.input_arg_names) | _inner(op, "inputs")) - {EMPTY} for op in ops]
        self.writes = [(set(op.output_arg_names) | _inner(op, "outputs")) - {EMPTY} for op in ops]
        self.summed_after: dict[str, int] = {}  # gradient of a parameter -> the operator that completes it
        for i, op in enumerate(ops):
            if has_role(op.attrs, OpRole.Backward):
                self.summed_after.update(dict.fromkeys(op.attrs.get(ROLE_VAR, [])[1::2], i))
        self.split = set(feeds)
        # A gradient is summed whether it differs or not: the gradient of the loss is scaled for that.
        self.per_place = set(self.summed_after.values())
        for i in self.per_place:
            self.split |= self.writes[i]
        while self._mark():
            pass

    def _mark(self) -> bool:
        """Whoever reads what differs between places differs, and so does whatever it writes, from the beginning."""
        before = len(self.per_place)
        for i, op in enumerate(self.ops):
            if i in self.per_place:
                continue
            touched = self.split.intersection(self.reads[i] | self.writes[i])
            if _draws(op) or any(i <= self.summed_after.get(name, i) for name in touched):
                self.per_place.add(i)
                self.split |= self.writes[i]
        return len(self.per_place) > before


def _inner(op: Operator, side: str) -> set[str]:
    """What the operators of the block that an operator carries read or write outside it."""
    block = op.attrs.get("sub_block")
    if not isinstance(block, Block):
        return set()
    found = {n for one in block.ops for names in getattr(one, side).values() for n in names}
    return found.union(*(_inner(one, side) for one in block.ops)) - set(block.vars)


def _draws(op: Operator) -> bool:
    block = op.attrs.get("sub_block")
    if isinstance(block, Block) and any(_draws(inner) for inner in block.ops):
        return True
    definition = op.definition
    return definition is not None and "rng" in definition.engine


def _check_updates(analysis: _Analysis, block: Block) -> None:
    for i in sorted(analysis.per_place):
        op = analysis.ops[i]
        for name in analysis.writes[i]:
            var = block.find_var(name)
            if var is not None and var.is_parameter and has_role(op.attrs, OpRole.Optimize):
                raise ArgumentError(
                    f"with_data_parallel: {op.type} updates the parameter {name} with what differs between the places; "
                    "minimize() must have made the gradient that it uses",
                    op.details(),
                )


class _Writer:
    """Writes the operators of the analysis for all places, in an order that keeps every meaning."""

    def __init__(self, program: Program, analysis: _Analysis, count: int, gradient_scale: float | None) -> None:
        self.program = program
        self.block = program.global_block()
        self.block.ops = []
        self.analysis = analysis
        self.count = count
        self.gradient_scale = gradient_scale
        self.waiting: list[int] = []  # operators that every place is going to run, the whole list place by place

    def write(self) -> None:
        self._declare()
        for i, op in enumerate(self.analysis.ops):
            if i in self.analysis.per_place:
                self.waiting.append(i)
                continue
            if self._must_wait(i):
                self._flush()
            self.block.ops.append(self._copy(self.block, op))
        self._flush()
        self.program.touch()

    def _declare(self) -> None:
        """The variables of places after the first; those of persistables begin as copies."""
        for name in sorted(self.analysis.split.intersection(self.block.vars)):
            var = self.block.vars[name]
            for place in range(1, self.count):
                there = _copy_var(self.block, var, _on(name, place))
                if var.persistable and any(name in self.analysis.reads[i] for i in self.analysis.per_place):
                    self._link("assign", [name], there.name)

    def _must_wait(self, i: int) -> bool:
        """Whether a shared operator has to come after those that wait; else it goes first, so that they stay together.

        Place after place, the temporaries of one are freed before the next begins.
        """
        reads, writes = self.analysis.reads[i], self.analysis.writes[i]
        return any(
            reads & self.analysis.writes[j] or writes & (self.analysis.reads[j] | self.analysis.writes[j])
            for j in self.waiting
        )

    def _flush(self) -> None:
        done = set(self.waiting)
        for place in range(self.count):
            for i in self.waiting:
                summed = {name for name, at in self.analysis.summed_after.items() if at < i}
                self._append_on(self.block, self.analysis.ops[i], place, self.analysis.split - summed)
        for name, i in self.analysis.summed_after.items():
            if i in done:
                self._link("sum", [_on(name, place) for place in range(self.count)], name)
        self.waiting = []

    def _link(self, kind: str, inputs: list[str], output: str) -> None:
        """An operator between places, which the user's program does not have."""
        self.block.ops.append(Operator(self.block, kind, {"X": inputs}, {"Out": [output]}, {}, None))

    def _copy(self, block: Block, op: Operator) -> Operator:
        copied = copy_operator(block, op)
        if self.gradient_scale is not None and _starts_backward(op):
            copied.attrs["value"] = op.attrs["value"] * self.gradient_scale
        return copied

    def _append_on(self, block: Block, op: Operator, place: int, renamed: set[str]) -> None:
        copied = self._copy(block, op)
        if place:
            for side in (copied.inputs, copied.outputs):
                for slot, names in side.items():
                    side[slot] = [_on(n, place) if n in renamed else n for n in names]
            inner = op.attrs.get("sub_block")
            if isinstance(inner, Block):
                copied.attrs["sub_block"] = self._copy_block(inner, block, place, renamed | set(inner.vars))
        block.ops.append(copied)

    def _copy_block(self, inner: Block, parent: Block, place: int, renamed: set[str]) -> Block:
        copied = Block(self.program, len(self.program.blocks), parent.idx)
        self.program.blocks.append(copied)
        for name, var in inner.vars.items():
            _copy_var(copied, var, _on(name, place))
        for op in inner.ops:
            self._append_on(copied, op, place, renamed)
        return copied


def _starts_backward(op: Operator) -> bool:
    return int(op.attrs.get(ROLE, 0)) == OpRole.Backward | OpRole.Loss and op.type == "fill_constant"


def _copy_var(block: Block, var: Variable, name: str) -> Variable:
    """A variable of a place: like that of the program, but it lives no longer than the run."""
    copied = copy.copy(var)
    copied.name, copied.block, copied.op = name, block, None
    copied._persistable = copied.is_data = False
    block.vars[name] = copied
    return copied
