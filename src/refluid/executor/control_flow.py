"""Operators that carry a block: written inline as Python control flow."""

from __future__ import annotations

from typing import Any

from refluid.executor.codegen import Source, emit, emits
from refluid.executor.step import Step
from refluid.ir.block import Block
from refluid.ops.registry import Tensor, op


@op("Out Scope", duplicable="Out Scope", dispensable="Scope", nograd="*")
def conditional_block(
    Cond: list[Tensor],
    Input: list[Tensor] | None = None,
    *,
    sub_block: Block,
    is_scalar_condition: bool = False,
    skip_eager_deletion_vars: list[str] = [],  # noqa: B006  # never changed
) -> None:
    """Run the block if the condition holds: the one element if scalar, else whether Cond is not empty."""
    raise NotImplementedError("conditional_block runs as part of a program")


@conditional_block.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None, None]  # what the block writes is declared outside it


@emits(conditional_block)
def _emit_conditional(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    conds = [source.ident(name) for name in step.inputs[0] if name]
    test = (
        f"{conds[0]}.item()"
        if step.attrs.get("is_scalar_condition")
        else f"all(c.numel() for c in [{', '.join(conds)}])"
    )
    for name in dict.fromkeys(step.writes()):
        if name not in source.idents:  # nothing has written it so far, and the block may not either
            source.line(f"{source.ident(name)} = None", step, indent)
    source.line(f"if {test}:", step, indent)
    outside = frozenset((*step.reads(), *step.writes()))
    start = len(source.lines)
    emit(source, step.body, keep, indent + 1, outer | outside)
    if len(source.lines) == start:
        source.line("pass", step, indent + 1)
