"""recurrent and its gradient as Python loops; see Note [Loops and their gradients].

The names of inputs and outputs mean one thing inside the block and another outside: each side has locals of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from refluid.executor import runtime
from refluid.executor.blocks import recurrent
from refluid.executor.blocks.arrays import emit_arrays
from refluid.executor.blocks.zeros import zeros_text
from refluid.executor.codegen import Source, emit, emits
from refluid.executor.step import Step
from refluid.ops.signature import GRAD_SUFFIX


@emits(recurrent.recurrent)
def _emit_recurrent(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    operator = step.operator
    inputs, initial = operator.input("inputs"), operator.input("initial_states")
    before, after = operator.attrs["ex_states"], operator.attrs["states"]
    outputs, backwards = operator.output("outputs"), bool(operator.attrs["reverse"])
    rounds = next((name for name in step.outputs[1] if name), None)
    given = [source.ident(name) for name in inputs]
    first = [source.ident(name) for name in initial]
    results = {name: source.ident(name) for name in outputs}
    if rounds is not None:
        source.line(f"{source.ident(rounds)} = []", step, indent)
    kept_rounds = source.idents.get(rounds or "")
    collected = {name: source.unique(f"{ident}_steps") for name, ident in results.items()}
    for ident in collected.values():
        source.line(f"{ident} = []", step, indent)
    with _inside(source, step):
        states = [source.ident(name) for name in before]
        for state, value in zip(states, first, strict=True):
            source.line(f"{state} = {value}", step, indent)
        targets = ", ".join(source.ident(name) for name in inputs)
        slices = source.constant(recurrent.elements, "elements")
        source.line(f"for {targets}, in {slices}([{', '.join(given)}], {inputs!r}, {backwards}):", step, indent)
        inner = keep | set(step.saved) | {*inputs, *before, *after, *outputs}
        block = operator.sub_block
        assert block is not None
        emit_arrays(source, step.body, block, indent + 1)
        emit(source, step.body, inner, indent + 1, outer | frozenset((*step.reads(), *step.writes())))
        for name, ident in collected.items():
            source.line(f"{ident}.append({source.ident(name)})", step, indent + 1)
        if kept_rounds is not None:
            step.saved_lods = [name for name in step.saved if name in source.lods]
            parts = [source.ident(n) + (".shape" if kind == "shape" else "") for n, kind in step.saved.items()]
            parts += [source.lods[name] for name in step.saved_lods]
            text = "".join(part + ", " for part in parts).rstrip()
            source.line(f"{kept_rounds}.append(({text}))", step, indent + 1)
        for state, name in zip(states, after, strict=True):
            source.line(f"{state} = {source.ident(name)}", step, indent + 1)
        source.line(f"del {targets}", None, indent)  # views of the inputs, which would live on with them
    join = source.constant(recurrent.joined, "joined")
    for name, ident in results.items():
        source.line(f"{ident} = {join}({collected[name]}, {backwards})", step, indent)
        source.line(f"del {collected[name]}", None, indent)
        source.lods.pop(name, None)


@emits(recurrent.recurrent_grad)
def _emit_gradient(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    forward = step.forward
    assert forward is not None, "recurrent_grad stands in a plan without its recurrent"
    operator = step.operator
    backwards = bool(operator.attrs["reverse"])
    rounds = source.ident(operator.input("step_scopes")[0])
    incoming = dict(zip(forward.operator.output("outputs"), step.inputs[step.op.input_index["outputs@GRAD"]],
                        strict=True))  # fmt: skip
    wanted = {
        slot: [(owner, name) for owner, name in zip(operator.input(slot), names, strict=False) if name]
        for slot, names in zip(("inputs", "initial_states", "parameters"), step.outputs, strict=True)
    }
    results = {name: source.ident(name) for pairs in wanted.values() for _, name in pairs}
    split = source.constant(recurrent.separated, "separated")
    parts: dict[str, str] = {}
    for owner, name in incoming.items():
        if name:
            parts[owner] = source.unique(f"{source.ident(name)}_steps")
            source.line(f"{parts[owner]} = {split}({source.ident(name)}, {backwards})", step, indent)
    states = operator.attrs["states"]
    first = operator.input("initial_states")
    carried = {name: source.unique(f"{name}_grad") for name in states}
    for name, owner in zip(states, first, strict=True):
        source.line(f"{carried[name]} = {zeros_text(source, step, owner)}", step, indent)
    collected = {owner: source.unique(f"{owner}_grad_steps") for owner, _ in wanted["inputs"]}
    totals = {owner: source.unique(f"{owner}_grad_total") for owner, _ in wanted["parameters"]}
    for ident in collected.values():
        source.line(f"{ident} = []", step, indent)
    for ident in totals.values():
        source.line(f"{ident} = None", step, indent)
    with _inside(source, step, forward):
        shapes: dict[str, str] = {}
        targets = []
        for name, kind in forward.saved.items():
            if kind == "shape":
                shapes[name] = source.unique(f"{name}_shape")
                targets.append(shapes[name])
            else:
                targets.append(source.ident(name))
        for name in forward.saved_lods:
            source.lods[name] = source.unique(f"{name}_lod")
            targets.append(source.lods[name])
        unpacked = f"({', '.join(targets)},)" if targets else "_"
        if forward.gradients == 1 and not source.runs_again:  # nobody else reads the rounds: free each when it is done
            source.line(f"while {rounds}:", step, indent)
            source.line(f"{unpacked} = {rounds}.pop()", step, indent + 1)
        else:
            source.line(f"for {unpacked} in reversed({rounds}):", step, indent)
        for owner, ident in parts.items():
            source.line(f"{source.ident(owner + GRAD_SUFFIX)} = {ident}.pop()", step, indent + 1)
        for name, ident in carried.items():
            source.line(f"{source.ident(name + GRAD_SUFFIX)} = {ident}", step, indent + 1)
        before = operator.attrs["ex_states"]
        inside = {owner + GRAD_SUFFIX for owner in (*collected, *totals, *before)}
        bound = frozenset({*forward.saved, *(n + GRAD_SUFFIX for n in (*parts, *carried))})
        block = operator.sub_block
        assert block is not None
        emit_arrays(source, step.body, block, indent + 1, bound)
        emit(source, step.body, keep | inside, indent + 1, outer | frozenset((*step.reads(), *step.writes())), shapes)
        made = {name for part in step.body for name in part.writes()}
        for owner, ident in collected.items():
            source.line(f"{ident}.append({source.ident(owner + GRAD_SUFFIX)})", step, indent + 1)
        add = source.constant(runtime.accumulate, "accumulate")
        for owner, ident in totals.items():
            source.line(f"{ident} = {add}({ident}, {source.ident(owner + GRAD_SUFFIX)})", step, indent + 1)
        for old, ident in zip(before, carried.values(), strict=True):
            value = source.ident(old + GRAD_SUFFIX) if old + GRAD_SUFFIX in made else f"torch.zeros_like({ident})"
            source.line(f"{ident} = {value}", step, indent + 1)
    join = source.constant(recurrent.joined, "joined")
    for owner, name in wanted["inputs"]:  # the last round comes first
        source.line(f"{results[name]} = {join}({collected[owner]}, {not backwards})", step, indent)
        source.line(f"del {collected[owner]}", None, indent)
    for name, ident in zip(step.outputs[1], carried.values(), strict=False):
        if name:
            source.line(f"{results[name]} = {ident}", step, indent)
    for owner, name in wanted["parameters"]:
        source.line(f"{results[name]} = {totals[owner]}", step, indent)


@contextlib.contextmanager
def _inside(source: Source, step: Step, forward: Step | None = None) -> Iterator[None]:
    """Give the names of the block locals of their own until the end."""
    idents, lods, shapes = dict(source.idents), dict(source.lods), source.shapes
    hidden = step.local | (frozenset(forward.saved) | forward.local if forward is not None else frozenset())
    source.shapes = {name: ident for name, ident in shapes.items() if name not in hidden}
    for name in hidden:
        source.idents.pop(name, None)
        source.lods.pop(name, None)
    if forward is not None:  # what the rounds hand to one another is named in no block
        for name in (*forward.operator.output("outputs"), *forward.operator.attrs["states"]):
            source.idents.pop(name + GRAD_SUFFIX, None)
    yield
    source.idents, source.lods, source.shapes = idents, lods, shapes
