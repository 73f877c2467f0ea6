"""LoDs of variables that a block writes: whether and how often the block runs, only the run tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from refluid.executor.codegen import Source
from refluid.executor.step import Step


def emit_with_lods(source: Source, step: Step, indent: int, names: Iterable[str], body: Callable[[], None]) -> None:
    """Write a block so that every name has its LoD in one local before, inside and after it.

    `body` writes the whole block, whose last line is at indent + 1. Which names get a LoD inside is not known before it
    is written, so it is written again until no more turn up.
    """
    names = list(names)
    carrying = {name for name in names if name in source.lods}
    while True:
        state = source.save()
        local = {}
        for name in carrying:
            before = source.lods.get(name, "None")
            local[name] = source.unique(f"{source.ident(name)}_lod")
            source.line(f"{local[name]} = {before}", step, indent)
            source.lods[name] = local[name]
        body()
        found = {name for name in names if name in source.lods}
        if found <= carrying:
            break
        carrying |= found
        source.restore(state)
    for name in carrying:
        after = source.lods.get(name, "None")
        if after != local[name]:
            source.line(f"{local[name]} = {after}", step, indent + 1)
        source.lods[name] = local[name]
