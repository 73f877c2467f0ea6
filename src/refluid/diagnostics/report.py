"""What a profile is shown as: a table for people, and a timeline for chrome://tracing or Perfetto."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from refluid.diagnostics.timing import RUN, Event


class Row(NamedTuple):
    """All calls of one name, in milliseconds."""

    name: str
    calls: int
    total: float
    min: float
    max: float
    ave: float


# sorted_key: (how the report says it, what rows are sorted by)
ORDERS: dict[str | None, tuple[str, Callable[[Row], float] | None]] = {
    None: ("event first end time", None),
    "default": ("event first end time", None),
    "calls": ("number of calls", lambda row: -row.calls),
    "total": ("total time", lambda row: -row.total),
    "max": ("maximum time", lambda row: -row.max),
    "min": ("minimum time", lambda row: -row.min),
    "ave": ("average time", lambda row: -row.ave),
}


def rows_of(events: list[Event], sorted_key: str | None) -> list[Row]:
    """Operators, not whole runs; calls of different threads apart."""
    times: dict[str, list[float]] = {}
    for event in events:
        if event.name != RUN:
            name = f"thread{event.thread}::{event.name} {event.detail}".rstrip()
            times.setdefault(name, []).append(event.took / 1e6)
    rows = [Row(name, len(t), sum(t), min(t), max(t), sum(t) / len(t)) for name, t in times.items()]
    order = ORDERS[sorted_key][1]
    return rows if order is None else sorted(rows, key=order)


# The layout is that of Fluid's reports, which programs read.
def table(events: list[Event], sorted_key: str | None, place: str) -> str:
    # What is spent in a run but in no operator is the work of the executor.
    total = sum(event.took - event.inner for event in events) / 1e6
    around = sum(event.took - event.inner for event in events if event.name == RUN) / 1e6
    rows = rows_of(events, sorted_key)
    width = max([len(row.name) for row in rows] + [len("Event")]) + 4
    lines = [
        "------------------------->     Profiling Report     <-------------------------",
        "",
        f"Place: {place}",
        "Time unit: ms",
        f"Sorted by {ORDERS[sorted_key][0]} in descending order in the same thread",
        "",
        f"Total time: {total:.6g}",
        _part("  Computation time", total - around, total),
        _part("  Framework overhead", around, total),
        "",
        "-------------------------     GpuMemCpy Summary     -------------------------",
        "",
        f"{'GpuMemcpy':<25}Calls: {0:<12}Total: {0:<12}Ratio: 0%",
        "",
        "-------------------------       Event Summary       -------------------------",
        "",
        f"{'Event':<{width}}"
        + "".join(f"{title:<12}" for title in ("Calls", "Total", "Min.", "Max.", "Ave.", "Ratio.")),
    ]
    for row in rows:
        numbers = (row.total, row.min, row.max, row.ave, _share(row.total, total))
        lines.append(f"{row.name:<{width}}{row.calls:<12}" + "".join(f"{number:<12.6g}" for number in numbers))
    return "\n".join(lines)


def _part(title: str, part: float, whole: float) -> str:
    return f"{title:<25}Total: {part:<12.6g}Ratio: {100 * _share(part, whole):.6g}%"


def timeline(events: list[Event]) -> str:
    """The events in the JSON of Chrome's trace viewer: operators lie under the user's line that asked for them."""
    first = min((event.start for event in events), default=0)
    traced = [_threads_name(thread) for thread in sorted({event.thread for event in events})]
    for event in events:
        args = {"line": event.line, "detail": event.detail}
        kind = "run" if event.name == RUN else "operator"
        traced.append(_slice(event.name, kind, event.thread, event.start - first, event.end - event.start, args))
    for line, thread, start, end in _lines(events):
        traced.append(_slice(line, "line", thread, start - first, end - start, {}))
    # Viewers put a slice under the one that began before it, or with it and ends later.
    traced.sort(key=lambda one: (one.get("ts", -1), -one.get("dur", 0), one.get("cat") != "line"))
    return json.dumps({"traceEvents": traced, "displayTimeUnit": "ms"})


def _lines(events: list[Event]) -> list[tuple[str, int, int, int]]:
    """(line, thread, start, end) of neighbours that one line of the user's program asked for."""
    groups: dict[tuple[int, int], list[list[Any]]] = {}
    latest: dict[tuple[int, int], int] = {}  # when the last event of this depth began
    for event in sorted(events, key=lambda event: (event.start, event.depth)):
        latest[event.thread, event.depth] = event.start
        around = latest.get((event.thread, event.depth - 1), 0)
        known = groups.setdefault((event.thread, event.depth), [])
        if known and known[-1][0] == event.line and known[-1][3] == around:
            known[-1][2] = event.end
        else:
            known.append([event.line, event.start, event.end, around])
    return [
        (line, thread, start, end) for (thread, _), known in groups.items() for line, start, end, _ in known if line
    ]


def _slice(name: str, kind: str, thread: int, start: int, took: int, args: dict[str, str]) -> dict[str, Any]:
    return {
        "name": name, "cat": kind, "ph": "X", "pid": os.getpid(), "tid": thread, "ts": start / 1e3, "dur": took / 1e3,
        "args": {key: value for key, value in args.items() if value},
    }  # fmt: skip


def _threads_name(thread: int) -> dict[str, Any]:
    return {"name": "thread_name", "ph": "M", "pid": os.getpid(), "tid": thread, "args": {"name": f"thread {thread}"}}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def kernels(averages: Iterable[Any], mode: str) -> str:
    """A line per device kernel, as comma-separated values or as key=value."""
    fields = ("name", "calls", "microseconds")
    rows = [(one.key, one.count, one.device_time_total) for one in averages]
    if mode == "csv":
        lines = [",".join(fields), *(f'"{name}",{calls},{took:g}' for name, calls, took in rows)]
    else:
        lines = [" ".join(f"{field}={value}" for field, value in zip(fields, one, strict=True)) for one in rows]
    return "\n".join(lines) + "\n"
