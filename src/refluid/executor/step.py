"""Steps: the list of calls that a block becomes. Passes rewrite this list, never the user's Program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from refluid.ir.block import Block
from refluid.ir.operator import EMPTY, Operator
from refluid.ops.registry import OpDef

Names = list[str | None]

# What comes into a program and out of it is the executor's work.
NO_STEPS = frozenset({"feed", "fetch", "create_py_reader", "create_double_buffer_reader", "read"})


@dataclass
class Step:
    """One call of a kernel.

    `inputs` and `outputs` hold, per slot of `op`, the names of variables (None in place of an absent one).
    """

    op: OpDef
    operator: Operator  # whose line and variables an error tells about
    inputs: list[Names]
    outputs: list[Names]
    attrs: dict[str, Any]
    kernel: Callable | None = None  # in place of op.kernel
    label: str = ""  # what the plan calls the kernel
    merged: list[Step] = field(default_factory=list)  # of a fused update: the updates it stands for
    constant: Any = None  # the result, where it is the same in every run
    body: list[Step] = field(default_factory=list)  # of a block-carrying operator: its block
    local: frozenset[str] = frozenset()  # variables that live and die inside the body

    @property
    def name(self) -> str:
        return self.label or self.op.type

    def value_reads(self) -> Iterator[str]:
        """Variables whose values are read (not only their shapes), those of the body included."""
        for param in self.op.params:
            if param.kind == "value":
                yield from (name for name in self.inputs[param.slot] if name)
        for part in self.merged:
            yield from part.value_reads()
        for part in self.body:
            yield from (name for name in part.value_reads() if name not in self.local)
        if self.op.lod_rule is not None:
            yield from (name for names in self.inputs for name in names if name)

    def shape_reads(self) -> Iterator[str]:
        for param in self.op.params:
            if param.kind == "shape":
                yield from (name for name in self.inputs[param.slot] if name)
        for part in self.body:
            yield from (name for name in part.shape_reads() if name not in self.local)

    def reads(self) -> Iterator[str]:
        yield from self.value_reads()
        yield from self.shape_reads()

    def writes(self) -> Iterator[str]:
        yield from (name for names in self.outputs for name in names if name)
        for part in self.merged:
            yield from part.writes()
        for part in self.body:
            yield from (name for name in part.writes() if name not in self.local)

    def inplace_names(self) -> set[str]:
        """Variables that the kernel changes where they are."""
        return {
            name
            for out, src in self.op.inplace.items()
            for name in self.outputs[out]
            if name and name in self.inputs[src]
        }


def steps_of(block: Block) -> list[Step]:
    """The block's operators as steps, without those whose work the executor does."""
    return [step_of(operator) for operator in block.ops if operator.type not in NO_STEPS]


def step_of(operator: Operator) -> Step:
    op = operator.definition
    if op is None:
        from refluid.core.errors import NotFoundError

        raise NotFoundError(f"operator {operator.type!r} does not exist", operator.details())
    body: list[Step] = []
    local: frozenset[str] = frozenset()
    sub_block = operator.attrs.get("sub_block")
    if isinstance(sub_block, Block):
        body = steps_of(sub_block)
        local = frozenset(sub_block.vars)
    # A plan needs no step scopes: what a block computes are locals of the function.
    outputs = [[] if body and slot.name == "Scope" else operator.outputs.get(slot.name, []) for slot in op.outputs]
    return Step(
        op,
        operator,
        [_present(operator.inputs.get(slot.name, [])) for slot in op.inputs],
        [_present(names) for names in outputs],
        op.kernel_attrs(operator.attrs),
        body=body,
        local=local,
    )


def _present(names: list[str]) -> Names:
    return [None if name == EMPTY else name for name in names]
