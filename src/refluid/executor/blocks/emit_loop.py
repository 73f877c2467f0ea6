"""while and its gradient as Python loops; see Note [Loops and their gradients]."""

from __future__ import annotations

from refluid.executor import runtime
from refluid.executor.blocks import definitions
from refluid.executor.blocks.arrays import emit_arrays
from refluid.executor.blocks.lods import emit_with_lods
from refluid.executor.blocks.zeros import zeros_text
from refluid.executor.codegen import Source, emit, emits
from refluid.executor.passes.blocks import END
from refluid.executor.step import Step
from refluid.ir.block import Block
from refluid.ops.signature import GRAD_SUFFIX
from refluid.tensor.tensor_array import LoDTensorArray


@emits(definitions.while_loop)
def _emit_while(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    condition = next(name for name in step.inputs[1] if name)
    rounds = next((name for name in step.outputs[1] if name), None)
    written = [name for name in dict.fromkeys(step.writes()) if name != rounds]
    for name in written:
        if name not in source.idents:
            source.line(f"{source.ident(name)} = None", step, indent)
    if rounds is not None:
        source.line(f"{source.ident(rounds)} = []", step, indent)

    def body() -> None:
        source.line(f"while {source.ident(condition)}.item():", step, indent)
        before = {}
        for name in step.saved:  # as they are when the round begins
            if name in written:
                before[name] = source.unique(f"{source.ident(name)}_before")
                source.line(f"{before[name]} = {source.ident(name)}", step, indent + 1)
        lods = {name: source.lods[name] for name in before if name in source.lods}
        inner = keep | set(step.saved) | {name.removesuffix(END) for name in step.saved}
        start = len(source.lines)
        emit_arrays(source, step.body, _block(step), indent + 1)
        emit(source, step.body, inner, indent + 1, outer | frozenset((*step.reads(), *step.writes())))
        if rounds is None:
            if len(source.lines) == start and not before:
                source.line("pass", step, indent + 1)
            return
        for name in step.saved:
            if name in source.lods and name not in before:
                lods[name] = source.lods[name]
        step.saved_lods = [name for name in step.saved if name in lods]
        parts = [
            before.get(name) or source.ident(name.removesuffix(END)) + (".shape" if step.saved[name] == "shape" else "")
            for name in step.saved
        ]
        parts += [lods[name] for name in step.saved_lods]
        source.line(f"{source.ident(rounds)}.append(({''.join(part + ', ' for part in parts).rstrip()}))", step,
                    indent + 1)  # fmt: skip

    emit_with_lods(source, step, indent, written, body)


@emits(definitions.while_grad)
def _emit_gradient(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    forward = step.forward
    assert forward is not None, "while_grad stands in a plan without its while"
    operator = step.operator
    rounds = step.inputs[step.op.input_index["StepScopes"]][0] or ""
    incoming = [name for name in step.inputs[step.op.input_index["Out@GRAD"]] if name]
    carried = dict(zip(operator.attrs["original_output_grad"], incoming, strict=True))
    results = [(owner, name) for owner, name in zip(operator.input("X"), step.outputs[0], strict=False) if name]
    outside = dict(source.idents)
    changed: set[str] = set()

    def bind(name: str) -> str:
        changed.add(name)
        source.idents[name] = source.unique(name.replace(GRAD_SUFFIX, "_grad"))
        return source.idents[name]

    for inside, name in carried.items():
        value = source.ident(name)
        source.line(f"{bind(inside)} = {value}", step, indent)
    totals: dict[str, str] = {}
    for owner, name in results:
        inside = owner + GRAD_SUFFIX
        if inside in carried:
            continue
        if step.operator.block.is_array(owner) and name in outside:
            # The gradient of an array that is there already is added to where it is.
            changed.add(inside)
            source.idents[inside] = outside[name]
        elif step.operator.block.is_array(owner):
            source.line(f"{bind(inside)} = {source.constant(LoDTensorArray, 'LoDTensorArray')}()", step, indent)
        else:
            bind(inside)
            totals[inside] = source.unique(f"{source.idents[inside]}_total")
            source.line(f"{totals[inside]} = None", step, indent)
    shapes: dict[str, str] = {}
    targets = []
    read_later: set[str] = set()
    for name, kind in forward.saved.items():
        if kind == "shape":
            shapes[name] = source.unique(f"{name}_shape")
            targets.append(shapes[name])
        elif name in outside and forward.operator.block.find_var(name) is not None:
            # The rounds end at the value before the loop, which is what gradients of earlier operators read.
            before = outside[name]
            if name in keep:
                source.fetched.setdefault(name, before)
            source.idents[name] = source.unique(name)
            if name not in source.deleted:  # somebody reads it later, also if there are no rounds
                source.line(f"{source.idents[name]} = {before}", step, indent)
                read_later.add(name)
            targets.append(source.idents[name])
        else:
            targets.append(bind(name))
    old_lods = dict(source.lods)
    for name in forward.saved_lods:
        source.lods[name] = source.unique(f"{source.ident(name)}_lod")
        targets.append(source.lods[name])
    unpacked = f"({', '.join(targets)},)" if targets else "_"
    if forward.gradients == 1 and not source.runs_again:  # nobody else reads the rounds: free each when it is done
        source.line(f"while {source.ident(rounds)}:", step, indent)
        source.line(f"{unpacked} = {source.ident(rounds)}.pop()", step, indent + 1)
    else:
        source.line(f"for {unpacked} in reversed({source.ident(rounds)}):", step, indent)
    # Shapes that are known outside are those of other rounds.
    hidden = {name: source.shapes.pop(name) for name in forward.saved if name in source.shapes and name not in shapes}
    inner = keep | read_later | set(carried) | set(totals) | {owner + GRAD_SUFFIX for owner, _ in results}
    bound = frozenset(source.idents) & frozenset(inner)
    emit_arrays(source, step.body, _block(step), indent + 1, bound)
    emit(source, step.body, inner, indent + 1, outer | frozenset((*step.reads(), *step.writes(), *bound)), shapes)
    source.shapes.update(hidden)
    made = {name for part in step.body for name in part.writes()}
    for inside in carried:
        if inside not in made and inside.removesuffix(GRAD_SUFFIX) in _replaced(forward):
            ident = source.idents[inside]  # the round wrote over the variable without reading it
            source.line(f"{ident} = torch.zeros_like({ident})", step, indent + 1)
    add = source.constant(runtime.accumulate, "accumulate")
    for inside, total in totals.items():
        source.line(f"{total} = {add}({total}, {source.idents[inside]})", step, indent + 1)
    if not step.body and not totals and not (forward.gradients == 1 and not source.runs_again):
        source.line("pass", step, indent + 1)
    found = {owner: totals.get(owner + GRAD_SUFFIX) or source.idents[owner + GRAD_SUFFIX] for owner, _ in results}
    written_back = {name: source.idents[inside] for inside, name in carried.items()}
    for name in changed:
        if name in outside:
            source.idents[name] = outside[name]
        else:
            del source.idents[name]
    source.lods = old_lods
    for name, ident in written_back.items():
        source.line(f"{source.ident(name)} = {ident}", step, indent)
    for owner, name in results:
        ident = found[owner]
        if owner + GRAD_SUFFIX in totals and name not in step.optional:
            zeros = zeros_text(source, step, owner)
            source.line(f"{source.ident(name)} = {zeros} if {ident} is None else {ident}", step, indent)
        elif source.ident(name) != ident:
            source.line(f"{source.ident(name)} = {ident}", step, indent)
        if owner in source.lods:  # a gradient is ragged as what it is the gradient of
            source.lods[name] = source.lods[owner]


def _replaced(forward: Step) -> set[str]:
    """Variables that the loop's block itself (no block inside it) writes in every round."""
    own = (part for part in forward.body if not part.body and part.op.type != "write_to_array")
    return {name for part in own for name in part.writes()}


def _block(step: Step) -> Block:
    block = step.operator.sub_block
    assert block is not None
    return block
