"""Puts steps into an order in which everything is made before it is read."""

from __future__ import annotations

import heapq

from refluid.executor.passes.uses import made_once
from refluid.executor.step import Step


def in_order(steps: list[Step], before: list[Step]) -> list[Step] | None:
    """`steps` reordered as little as possible so that values come before their readers; None if there is no such order.

    `before` are the steps as they stood: what is written once there and not read earlier is made by one step, wherever
    that stands now. Steps that share any other variable, and those that draw random numbers, keep their order, and
    nothing moves across a step that carries a block or does something besides.
    """
    fixed = made_once(before) | made_once(steps)
    result: list[Step] = []
    segment: list[Step] = []
    for step in (*steps, None):
        if step is not None and not step.body and not step.op.side_effect:
            segment.append(step)
            continue
        ordered = _sorted(segment, fixed)
        if ordered is None:
            return None
        result += ordered if step is None else [*ordered, step]
        segment = []
    return result


def _sorted(steps: list[Step], fixed: set[str]) -> list[Step] | None:
    maker = {name: i for i, step in enumerate(steps) for name in step.writes()}
    waits: list[set[int]] = []
    last_writer: dict[str, int] = {}
    touched: dict[str, list[int]] = {}  # since it was last written
    for i, step in enumerate(steps):
        needs: set[int] = set()
        for name in step.reads():
            if name in fixed:
                if name in maker:
                    needs.add(maker[name])
            elif name in last_writer:
                needs.add(last_writer[name])
            touched.setdefault(name, []).append(i)
        changed = {"random numbers"} if step.op.random or "rng" in step.op.engine else set()
        for name in (*changed, *(name for name in step.writes() if name not in fixed)):
            needs.update(touched.get(name, ()))
            if name in last_writer:
                needs.add(last_writer[name])
            last_writer[name], touched[name] = i, []
        waits.append(needs - {i})
    readers: dict[int, list[int]] = {}
    for i, needs in enumerate(waits):
        for needed in needs:
            readers.setdefault(needed, []).append(i)
    ready = [i for i, needs in enumerate(waits) if not needs]
    found = []
    while ready:
        i = heapq.heappop(ready)
        found.append(steps[i])
        for reader in readers.get(i, ()):
            waits[reader].discard(i)
            if not waits[reader]:
                heapq.heappush(ready, reader)
    return found if len(found) == len(steps) else None
