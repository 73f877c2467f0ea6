"""Steps: the list of calls that a block becomes. Passes rewrite this list, never the user's Program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from refluid.core.dtypes import TORCH, VarType
from refluid.executor.apart import with_copies
from refluid.executor.onednn import with_fused
from refluid.ir.block import Block
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.roles import OpRole, has_role
from refluid.ops.array.array import BACKWARD_KERNELS
from refluid.ops.checks import checking
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX

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
    forward: Step | None = None  # of the gradient of a block-carrying operator: what it is the gradient of
    saved: dict[str, str] = field(default_factory=dict)  # what a gradient reads of the body: its "value" or "shape"
    gradients: int = 0  # how many gradients read it
    optional: set[str] = field(default_factory=set)  # outputs that are None where the body has not run
    saved_lods: list[str] = field(default_factory=list)  # those of `saved` that have a LoD

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
        inside = self._inside()
        for part in self.body:
            yield from (name for name in part.value_reads() if name not in inside)
        if self.op.lod_rule is not None:
            yield from (name for names in self.inputs for name in names if name)

    def shape_reads(self) -> Iterator[str]:
        for param in self.op.params:
            if param.kind == "shape":
                yield from (name for name in self.inputs[param.slot] if name)
        inside = self._inside()
        for part in self.body:
            yield from (name for name in part.shape_reads() if name not in inside)

    def _inside(self) -> frozenset[str]:
        """What the body reads that is not there outside: its own variables, and what rounds of a loop have saved."""
        if self.forward is None or self.forward.op.type not in ("while", "recurrent"):
            return self.local
        if self.op.type == "recurrent_grad":
            return self.local | frozenset((*self.forward.saved, *self.set_inside()))
        return self.local | frozenset(self.forward.saved)

    def reads(self) -> Iterator[str]:
        yield from self.value_reads()
        yield from self.shape_reads()

    def writes(self) -> Iterator[str]:
        yield from (name for names in self.outputs for name in names if name)
        for part in self.merged:
            yield from part.writes()
        for part in self.body:
            yield from (name for name in part.writes() if name not in self.local)

    def set_inside(self) -> list[str]:
        """Variables of the body, named in no block around it, that the operator itself gives their values."""
        operator = self.operator
        if self.op.type == "while_grad":
            return operator.attrs["original_output_grad"]
        if self.op.type == "recurrent":
            return operator.attrs["ex_states"]
        if self.op.type == "recurrent_grad":
            return [name + GRAD_SUFFIX for name in (*operator.input("outputs"), *operator.attrs["states"])]
        return []

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
    operators = [operator for operator in block.ops if operator.type not in NO_STEPS]
    return [step for operator in operators for part in with_fused(step_of(operator)) for step in with_copies(part)]


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
    # A condition needs no scope: what its block computes are locals of the function.
    forward_values = ("Scope", "Out", "outputs") if op.forward is not None else ("Scope",)
    unused = forward_values if sub_block is not None else ()
    # X of listen_and_serv names what trainers send, which no operator computes; Out of fetch_barrier has been received
    # before it, and stays.
    if op.type == "listen_and_serv":
        unused = ("X",)
    step = Step(
        op,
        operator,
        [[] if slot.name in unused else _present(operator.inputs.get(slot.name, [])) for slot in op.inputs],
        [
            [] if slot.name == "Scope" or op.type == "fetch_barrier" else _present(operator.outputs.get(slot.name, []))
            for slot in op.outputs
        ],
        op.kernel_attrs(operator.attrs),
        body=body,
        local=local,
    )
    if sub_block is not None and op.forward is not None:
        _keep_wanted(step, sub_block)
    for out, source in op.inplace.items():
        if not step.inputs[source]:  # an array, which programs name as the output alone
            step.inputs[source] = list(step.outputs[out])
    if has_role(operator.attrs, OpRole.Backward):  # its dtypes are those of the forward pass
        if op.type in BACKWARD_KERNELS:
            step.kernel, step.label = BACKWARD_KERNELS[op.type], BACKWARD_KERNELS[op.type].__name__
    elif op.dtypes and not _fits(op, operator):
        step.kernel, step.label = checking(op), op.type
    return step


def _fits(op: OpDef, operator: Operator) -> bool:
    """Whether the inputs are declared with dtypes that the operator takes."""
    for place, allowed in op.dtypes.items():
        for name in operator.inputs.get(op.inputs[place].name, []):
            var = operator.block.find_var(name)
            dtype = var._dtype if var is not None else None
            if dtype in TORCH and TORCH[dtype] not in allowed:
                return False
    return True


def _keep_wanted(step: Step, block: Block) -> None:
    """Of the variables whose gradients a block gives, the shapes of those alone that are tensors and wanted."""
    index = step.op.input_index[step.op.outputs[0].name.removesuffix(GRAD_SUFFIX)]

    def is_tensor(name: str | None) -> bool:
        var = block.find_var(name or "")
        return var is not None and var.type != VarType.LOD_TENSOR_ARRAY

    wanted = [*step.outputs[0], *([None] * len(step.inputs[index]))]
    step.inputs[index] = [
        name if given and is_tensor(name) else None for name, given in zip(step.inputs[index], wanted, strict=False)
    ]


def all_steps(steps: list[Step]) -> Iterator[Step]:
    """The steps and those of their bodies, in order."""
    for step in steps:
        yield step
        yield from all_steps(step.body)


def _present(names: list[str]) -> Names:
    return [None if name == EMPTY else name for name in names]
