"""Drops calls whose results nobody reads, and tells gradients which results are not wanted."""

from __future__ import annotations

from collections.abc import Callable

from refluid.executor.step import Names, Step, all_steps
from refluid.ops.array.select import select_output


def drop_dead(steps: list[Step], fetches: set[str], persistable: Callable[[str], bool]) -> list[Step]:
    needed = set(fetches)
    kept = []
    for step in reversed(steps):
        wanted = [[n if n and (n in needed or persistable(n)) else None for n in names] for names in step.outputs]
        touches = step.op.side_effect or (bool(step.body) and _touches(step, needed, persistable))
        if not touches and not any(n for names in wanted for n in names):
            continue
        if not step.body and step.op is not select_output:  # which leaves all outputs but one as they are
            step.outputs = [_unless_empty(names) for names in wanted]
            needed -= {n for names in wanted for n in names if n}
        needed.update(step.reads())
        needed.update(n for names in step.inputs for n in names if n)
        kept.append(step)
    return kept[::-1]


def _touches(step: Step, needed: set[str], persistable: Callable[[str], bool]) -> bool:
    """Whether what a block writes is needed; its gradient reads what is written inside it as well.

    So is a block that does something besides: prints, or calls a Python function.
    """
    if any(part.op.side_effect for part in all_steps(step.body)):
        return True
    inner = (name for part in all_steps(step.body) for name in part.writes())
    return any(name in needed for name in (*inner, *step.saved)) or any(persistable(name) for name in step.writes())


def _unless_empty(names: Names) -> Names:
    return names if any(names) else []
