"""Outer variables that a body writes: one local holds each before, inside and after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from refluid.executor.codegen import EMITTERS, emit
from refluid.executor.graph.names import NewArray
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Body
from refluid.executor.graph.value import Value
from refluid.executor.source import Source
from refluid.tensor.tensor_array import LoDTensorArray


def body_of(node: Node) -> Body:
    assert node.body is not None
    return node.body


def captures(node: Node) -> set[Value]:
    return {value for values in body_of(node).captures() for value in values}


def begin(source: Source, node: Node, indent: int) -> list[str]:
    """Give every carried variable its local, which holds the value before the body."""
    body = body_of(node)
    captured = captures(node)
    locals_ = []
    for i, (initial, final) in enumerate(zip(node.inputs[-1], node.outputs[-1], strict=True)):
        assert final is not None
        if initial is None:  # not written so far, and perhaps not by the body
            local = source.define(final, captured)
            source.line(f"{local} = None", node, indent)
        else:
            local = source.local(initial)
            shared = initial in captured and body.is_loop
            if shared or source.needs(initial) or source.held.get(local) is not initial:
                local = source.unique(final.name.replace("@GRAD", "_grad"))
                source.line(f"{local} = {source.local(initial)}", node, indent)
        source.put(body.carried[i] if body.carried else final, local)
        locals_.append(local)
    return locals_


def let_go(source: Source, node: Node, locals_: list[str], others: Iterable[str]) -> None:
    """Let the body of a branch reuse the locals of its results, whose old values it does not need."""
    for local, initial in zip(locals_, node.inputs[-1], strict=True):
        if initial is not None and source.local(initial) == local:
            source.held[local] = initial
        else:
            source.held.pop(local, None)
    for local in others:
        source.held.pop(local, None)


def end(source: Source, node: Node, locals_: list[str], indent: int, others: Iterable[tuple[str, Value]] = ()) -> None:
    """Write the end of the body: values for the next iteration, or after the body, go into the locals, all at once."""
    pairs = [*others, *zip(locals_, body_of(node).carried_results, strict=True)]
    moves = [(local, source.local(value)) for local, value in pairs if source.local(value) != local]
    if moves:
        source.line(f"{', '.join(to for to, _ in moves)} = {', '.join(of for _, of in moves)}", node, indent)


def behind(source: Source, node: Node, locals_: list[str]) -> None:
    for final, local in zip(node.outputs[-1], locals_, strict=True):
        assert final is not None
        source.put(final, local)


def emit_body(source: Source, node: Node, indent: int) -> None:
    """Write the nodes of a body; inside a loop, what it captures is read by the next iteration too."""
    body = body_of(node)
    keep = set(body.outputs())
    if body.is_loop:
        keep |= captures(node)
    idents = dict(source.idents)
    for value, final in zip(body.carried or body.carried_results, node.outputs[-1], strict=True):
        local = source.locals.get(value) if body.carried else source.locals.get(final)  # type: ignore[arg-type]
        if local is not None:
            source.idents[value.name] = local
    emit(source, body, keep, indent)
    source.idents.update(idents)


def emit_with_lods(
    source: Source, node: Node, indent: int, results: list[Value], outputs: list[Value], body: Callable[[], None]
) -> None:
    """Write a body so that the LoD of every result is in one local before, inside and after it.

    `body` writes the whole body, whose last line is at indent + 1. Which results get a LoD inside is not known before
    it is written, so it is written again until no more turn up.
    """
    before = [*node.inputs[-1], *([None] * (len(results) - len(node.inputs[-1])))]
    params = [*body_of(node).carried, *([None] * len(results))] if node.body is not None else [None] * len(results)
    carrying = {i for i, value in enumerate(before) if value is not None and value in source.lods}
    while True:
        state = source.save()
        local = {}
        for i in sorted(carrying):
            local[i] = source.unique(f"{source.ident(outputs[i].name)}_lod")
            value_before = before[i]
            source.line(f"{local[i]} = {source.lods.get(value_before, 'None') if value_before else None}", node, indent)
            param = params[i]
            if param is not None:
                source.lods[param] = local[i]
        body()
        with_lod = {i for i, value in enumerate(results) if value in source.lods}
        if with_lod <= carrying:
            break
        carrying |= with_lod
        source.restore(state)
    for i in sorted(carrying):
        after = source.lods.get(results[i], "None")
        if after != local[i]:
            source.line(f"{local[i]} = {after}", node, indent + 1)
        source.lods[outputs[i]] = local[i]


def _emit_array(source: Source, node: Node, indent: int) -> None:
    (array,) = node.writes()
    source.line(f"{source.define(array)} = {source.constant(LoDTensorArray, 'LoDTensorArray')}()", node, indent)


EMITTERS[NewArray.type] = _emit_array
