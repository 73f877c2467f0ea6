"""conditional_block and its gradient as `if`."""

from __future__ import annotations

from refluid.executor.blocks import definitions
from refluid.executor.blocks.arrays import emit_arrays
from refluid.executor.blocks.lods import emit_with_lods
from refluid.executor.blocks.zeros import emit_zeros
from refluid.executor.codegen import Source, emit, emits
from refluid.executor.passes.blocks import AFTER, BEFORE
from refluid.executor.step import Step
from refluid.ir.operator import Operator
from refluid.ops.signature import GRAD_SUFFIX, owner_of
from refluid.tensor.tensor_array import LoDTensorArray


@emits(definitions.conditional_block)
@emits(definitions.conditional_block_infer)
def _emit_conditional(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    written = list(dict.fromkeys(step.writes()))
    for name in (*written, *step.saved):
        if BEFORE in name:
            _copy(source, step, name.split(BEFORE)[0], name, indent)
        elif name not in source.idents:  # nothing has written it so far, and the block may not either
            source.line(f"{source.ident(name)} = None", step, indent)

    def body() -> None:
        source.line(f"if {_test(source, step)}:", step, indent)
        _emit_block(source, step, indent + 1, keep | set(step.saved), outer)
        for name in step.saved:
            if AFTER in name:
                _copy(source, step, name.split(AFTER)[0], name, indent + 1)

    emit_with_lods(source, step, indent, dict.fromkeys((*written, *step.saved)), body)


def _copy(source: Source, step: Step, name: str, to: str, indent: int) -> None:
    source.line(f"{source.ident(to)} = {source.ident(name) if name in source.idents else None}", step, indent)
    if name in source.lods:
        source.lods[to] = source.lods[name]


@emits(definitions.conditional_block_grad)
def _emit_gradient(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    operator = step.operator
    inside = {owner: owner + GRAD_SUFFIX for owner in operator.input("Input")}
    results = [(owner, name) for owner, name in zip(operator.input("Input"), step.outputs[0], strict=False) if name]
    # The gradient of an array that is there already is added to where it is, also inside the block.
    arrays = {
        inside[owner]: name for owner, name in results if operator.block.is_array(owner) and name in source.idents
    }
    results = [(owner, name) for owner, name in results if inside[owner] not in arrays]
    outside = {name: source.ident(name) for _, name in results}
    shadowed = {name: source.idents.get(name) for name in inside.values() if name in step.local}
    for name in shadowed:
        there = arrays.get(name)
        source.idents[name] = (
            source.unique(name.replace(GRAD_SUFFIX, "_grad_inside")) if there is None else source.ident(there)
        )
    lods = dict(source.lods)
    source.line(f"if {_test(source, step)}:", step, indent)
    made = {name for part in step.body for name in part.writes()}
    wanted = {inside[owner] for owner, _ in results}
    begun = [inside[owner] for owner, _ in results if operator.block.is_array(owner)]
    for name in begun:  # blocks inside may add to it or not
        source.line(f"{source.ident(name)} = {source.constant(LoDTensorArray, 'LoDTensorArray')}()", step, indent + 1)
    _emit_block(source, step, indent + 1, keep | wanted | set(arrays), outer, frozenset((*arrays, *begun)))
    for owner, name in results:
        if inside[owner] in made:
            source.line(f"{outside[name]} = {source.idents[inside[owner]]}", step, indent + 1)
        else:
            _emit_nothing(source, step, outside, owner, name, indent + 1)
    for given in step.inputs[step.op.input_index["Out@GRAD"]]:
        if not given or operator.block.is_array(owner_of(given)):
            continue  # writes to an array take the gradients of their elements out of it themselves
        if _was_there_before(operator, owner_of(given)):  # the value before has no part in what followed
            ident = source.ident(given)
            source.line(f"{ident} = {ident}.new_zeros({ident}.shape)", step, indent + 1)
    source.line("else:", step, indent)
    for owner, name in results:
        _emit_nothing(source, step, outside, owner, name, indent + 1)
    if not results:
        source.line("pass", step, indent + 1)
    source.lods = lods  # what the block has found there may not be
    for owner, name in results:
        if owner in lods:  # a gradient is ragged as what it is the gradient of
            lods[name] = lods[owner]
    for name, before in shadowed.items():
        if before is None:
            del source.idents[name]
        else:
            source.idents[name] = before


def _emit_nothing(source: Source, step: Step, outside: dict[str, str], owner: str, name: str, indent: int) -> None:
    """The gradient of what had no part in the run."""
    if name in step.optional:
        source.line(f"{outside[name]} = None", step, indent)
    else:
        emit_zeros(source, step, outside[name], owner, indent)


def _test(source: Source, step: Step) -> str:
    conds = [source.ident(name) for name in step.inputs[0] if name]
    if step.attrs.get("is_scalar_condition"):
        return f"{conds[0]}.item()"
    return f"all(c.numel() for c in [{', '.join(conds)}])"


def _emit_block(
    source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str], bound: frozenset[str] = frozenset()
) -> None:
    start = len(source.lines)
    block = step.operator.sub_block
    assert block is not None
    emit_arrays(source, step.body, block, indent, bound)
    emit(source, step.body, keep, indent, outer | frozenset((*step.reads(), *step.writes())))
    if len(source.lines) == start:
        source.line("pass", step, indent)


def _was_there_before(gradient: Operator, name: str) -> bool:
    """Whether the variable had a value before the conditional_block wrote it."""
    var = gradient.block.find_var(name)
    if var is not None and (var.is_data or var.persistable):
        return True
    forward = None
    for op in gradient.block.ops:
        if op.type == "conditional_block" and op.output("Scope") == gradient.input("Scope"):
            forward = op
            break
        if name in op.output_arg_names:
            return True
    if forward is None:  # the gradient of a block inside another: the forward operators stand in that one
        return name not in _forward_vars(gradient)
    return False


def _forward_vars(gradient: Operator) -> set[str]:
    index = gradient.block.forward_block_idx
    return set(gradient.block.program.blocks[index].vars) if index >= 0 else set()
