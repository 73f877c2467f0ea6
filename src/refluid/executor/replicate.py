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
from typing import Any

from refluid.core.warn import warn_once
from refluid.executor.graph.build import done_by_executor
from refluid.ir.block import Block
from refluid.ir.clone import clone, copy_operator
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.program import Program
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole, has_role
from refluid.ir.variable import Variable
from refluid.ops.signature import GRAD_SUFFIX

# Attributes that hold names of variables of the operator's block.
NAMES_INSIDE = frozenset({"original_output_grad", "ex_states", "states"})


@dataclass
class Replicated:
    """A program for `count` places. `split` are the names that every place has a value of its own for."""

    program: Program
    count: int
    split: frozenset[str]

    def name(self, name: str, place: int) -> str:
        """What a variable of the original program is called on a place."""
        return _on(name, place) if name in self.split else name


def replicate(
    program: Program, count: int, feeds: Iterable[str], gradient_scale: float | None, rings: int = 0
) -> Replicated:
    """The program for `count` places that are fed `feeds` each.

    gradient_scale: what the gradient of the loss starts from on every place; None: it is fed.
    rings: gradients are summed over the trainers as well, on so many rings in turn.
    """
    copied = clone(program)
    copied.random = program.random
    copied.readers = []
    ops = [op for op in copied.global_block().ops if not done_by_executor(op)]
    if gradient_scale is None:
        ops = [op for op in ops if not _starts_backward(op)]
    inner = {name for block in copied.blocks[1:] for name in block.vars}
    # The gradients that iterations of a recurrent_grad pass on are declared nowhere.
    inner |= {name + GRAD_SUFFIX for op in copied.operators() for name in op.attrs.get("states", ())}
    analysis = _Analysis(ops, feeds, inner - set(copied.global_block().vars))
    _warn_of_updates(analysis, copied.global_block())
    _Writer(copied, analysis, count, gradient_scale, frozenset(feeds), rings).write()
    return Replicated(copied, count, frozenset(analysis.split - set(analysis.summed_after)))


def _on(name: str, place: int) -> str:
    if not place or name == EMPTY:
        return name
    base, mark, rest = name.partition(GRAD_SUFFIX)  # gradients of the variables of a place are named after those
    return f"{base}@place{place}{mark}{rest}"


class _Analysis:
    """Which operators every place runs for itself. `local` are variables of blocks inside."""

    def __init__(self, ops: list[Operator], feeds: Iterable[str], local: set[str]) -> None:
        self.ops = ops
        self.local = local
        self.reads = [(_names(op, "inputs") | op.reread()) - local for op in ops]
        self.writes = [_names(op, "outputs") - local for op in ops]
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


def _names(op: Operator, side: str) -> set[str]:
    """What an operator, and those of the block that it carries, name on one side."""
    found = {name for names in getattr(op, side).values() for name in names} - {EMPTY}
    return found.union(*(_names(inner, side) for inner in op.sub_block.ops)) if op.sub_block is not None else found


def _draws(op: Operator) -> bool:
    if op.sub_block is not None and any(_draws(inner) for inner in op.sub_block.ops):
        return True
    definition = op.definition
    return definition is not None and "rng" in definition.engine


def _warn_of_updates(analysis: _Analysis, block: Block) -> None:
    """Every place updates a copy of its own, as in Fluid, with a gradient that nobody has averaged."""
    for i in sorted(analysis.per_place):
        op = analysis.ops[i]
        if not has_role(op.attrs, OpRole.Optimize) or not analysis.split.intersection(op.input("Grad")):
            continue
        for name in op.output("ParamOut"):
            var = block.find_var(name)
            if var is not None and var.is_parameter and not set(op.input("Grad")) <= set(analysis.summed_after):
                warn_once(
                    f"with_data_parallel: {op.type} updates the parameter {name} by a gradient that differs between "
                    "places, since minimize() has not made it; the update of the first place is kept"
                )


class _Writer:
    """Writes the operators of the analysis for all places, in an order that keeps every meaning."""

    def __init__(
        self,
        program: Program,
        analysis: _Analysis,
        count: int,
        gradient_scale: float | None,
        feeds: frozenset[str],
        rings: int,
    ) -> None:
        self.program = program
        self.feeds = feeds
        self.block = program.global_block()
        self.block.ops = []
        self.analysis = analysis
        self.count = count
        self.gradient_scale = gradient_scale
        self.rings = rings
        self.exchanged = 0
        self.waiting: list[int] = []  # operators that every place is going to run, the whole list place by place
        self.waiting_reads: set[str] = set()
        self.waiting_writes: set[str] = set()
        self.complete: set[str] = set()  # gradients that wait to be summed
        self.summed: set[str] = set()
        self.blocks: dict[tuple[int, int], Block] = {}  # of a place and a block of the program

    def write(self) -> None:
        self._declare()
        completes: dict[int, list[str]] = {}
        for name, i in self.analysis.summed_after.items():
            completes.setdefault(i, []).append(name)
        for i, op in enumerate(self.analysis.ops):
            reads, writes = self.analysis.reads[i], self.analysis.writes[i]
            if i in self.analysis.per_place:
                if reads & self.complete:  # it means the sum
                    self._flush()
                self.waiting.append(i)
                self.waiting_reads |= reads
                self.waiting_writes |= writes
                self.complete.update(completes.get(i, ()))
                if self.count == 1 and self.complete:
                    self._flush()  # an exchange between trainers can begin while the rest still computes
                continue
            # A shared operator goes first where it can, so that the others stay together: place after place, the
            # temporaries of one are freed before the next begins.
            if reads & self.waiting_writes or writes & (self.waiting_reads | self.waiting_writes):
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
                read = any(name in self.analysis.reads[i] for i in self.analysis.per_place)
                if var.persistable and read and name not in self.feeds:
                    self._link("assign", [name], there.name)

    def _flush(self) -> None:
        renamed = (self.analysis.split | self.analysis.local) - self.summed
        for place in range(self.count):
            for i in self.waiting:
                self._append_on(self.block, self.analysis.ops[i], place, renamed)
        for name in sorted(self.complete):
            if self.count > 1:
                self._link("sum", [_on(name, place) for place in range(self.count)], name)
            if self.rings:
                self._link("c_allreduce_sum", [name], name, {"ring_id": self.exchanged % self.rings})
                self.exchanged += 1
        self.summed |= self.complete
        self.waiting, self.waiting_reads, self.waiting_writes, self.complete = [], set(), set(), set()

    def _link(self, kind: str, inputs: list[str], output: str, attrs: dict[str, Any] | None = None) -> None:
        """An operator between places or trainers, which the user's program does not have."""
        self.block.ops.append(Operator(self.block, kind, {"X": inputs}, {"Out": [output]}, attrs or {}, None))

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
            if op.sub_block is not None:
                inside = renamed - self._named_after_shared(op.sub_block, renamed)
                copied.attrs["sub_block"] = self._copy_block(op.sub_block, place, inside)
                for attr in NAMES_INSIDE & op.attrs.keys():
                    copied.attrs[attr] = [_on(n, place) if n in inside else n for n in op.attrs[attr]]
        block.ops.append(copied)

    def _named_after_shared(self, inner: Block, renamed: set[str]) -> set[str]:
        """Gradients inside a block that stand for a variable which all places share, and keep its name."""
        grads = set()
        block: Block | None = inner
        while block is not None and block.idx:
            grads |= {name for name in block.vars if GRAD_SUFFIX in name}
            block = block.parent
        return {name for name in grads if name.partition(GRAD_SUFFIX)[0] not in renamed}

    def _copy_block(self, inner: Block, place: int, renamed: set[str]) -> Block:
        """The block of a place; that of a gradient has the forward one of the same place for its parent."""

        def there(index: int) -> int:
            return self.blocks[place, index].idx if (place, index) in self.blocks else index

        copied = Block(self.program, len(self.program.blocks), there(inner.parent_idx))
        copied.forward_block_idx = there(inner.forward_block_idx)
        self.program.blocks.append(copied)
        self.blocks[place, inner.idx] = copied
        for name, var in inner.vars.items():
            _copy_var(copied, var, _on(name, place) if name in renamed else name)
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
