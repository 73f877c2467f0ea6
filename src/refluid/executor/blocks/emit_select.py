"""select_output: the chosen output is assigned, the others keep what they hold."""

from __future__ import annotations

from refluid.executor.blocks.lods import emit_with_lods
from refluid.executor.codegen import Source, emits
from refluid.executor.step import Step
from refluid.ops.array.select import position_in, select_output


@emits(select_output)
def _emit_select(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    (x,), (mask,), outputs = *step.inputs, step.outputs[0]
    assert x is not None and mask is not None
    for name in outputs:
        if name and name not in source.idents:
            source.line(f"{source.ident(name)} = None", step, indent)
    number = source.unique("chosen")
    source.line(
        f"{number} = {source.constant(position_in, 'position_in')}({source.ident(mask)}, {len(outputs)})", step, indent
    )
    for position, name in enumerate(outputs):
        if name:
            _emit_assignment(source, step, indent, f"{number} == {position}", name, x)
    source.line(f"del {number}", None, indent)


def _emit_assignment(source: Source, step: Step, indent: int, test: str, name: str, x: str) -> None:
    def body() -> None:
        source.line(f"if {test}:", step, indent)
        local = source.ident(name)
        lod = source.lods.get(x)
        if source.persistable(name):
            given = f", {lod}" if lod else ""
            source.line(f"{local} = put({source.scope_var(name)}, {source.ident(x)}, False{given})", step, indent + 1)
        else:
            source.line(f"{local} = {source.ident(x)}", step, indent + 1)
        if lod:
            source.lods[name] = lod

    emit_with_lods(source, step, indent, [name], body)
