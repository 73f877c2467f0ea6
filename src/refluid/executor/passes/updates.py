"""Merges the update operators of many parameters into one fused call."""

from __future__ import annotations

from typing import Any

from refluid.executor.step import Step
from refluid.ops.fused import run_fused


def merge_updates(steps: list[Step]) -> list[Step]:
    """Neighbouring updates of one kind with equal attributes become one step."""
    result: list[Step] = []
    group: list[Step] = []
    for step in steps:
        if group and not _alike(group[0], step):
            result.append(_merged(group))
            group = []
        if step.op.fused_kernel is not None:
            group.append(step)
        else:
            result.append(step)
    if group:
        result.append(_merged(group))
    return result


def _alike(a: Step, b: Step) -> bool:
    return a.op is b.op and a.attrs == b.attrs and [bool(n) for n in a.inputs] == [bool(n) for n in b.inputs]


def _merged(group: list[Step]) -> Step:
    first = group[0]

    def call(*lists: Any, **attrs: Any) -> None:
        run_fused(first.op, lists, attrs)

    call.__name__ = f"{first.op.type}_all"
    return Step(
        first.op, first.operator, [[] for _ in first.op.inputs], [[] for _ in first.op.outputs], first.attrs,
        kernel=call, label=f"{first.op.type}_all", merged=group,
    )  # fmt: skip
