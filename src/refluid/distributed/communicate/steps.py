"""Steps to be sent to servers: gathered as `send` operators run, merged, split and grouped by server."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.addressed import addressed
from refluid.distributed.server.wire import Value
from refluid.tensor.selected_rows import SelectedRows, add_all, merged as merged_rows

Sent = tuple[dict[str, Any], Value]  # the attributes of a `send`, and what it sends
Step = dict[str, Sent]  # by the name of what is sent


class Gathering:
    """The step that a thread is in the middle of."""

    def __init__(self) -> None:
        self._local = threading.local()

    def add(self, attrs: dict[str, Any], names: list[str], values: list[Value]) -> None:
        step: Step = self._local.__dict__.setdefault("step", {})
        for name, value in zip(names, values, strict=True):
            step[name] = attrs, value

    def taken(self) -> Step:
        """The step, which is complete; the next one begins."""
        return self._local.__dict__.pop("step", {})


def by_server(steps: Sequence[Step], adds: bool) -> dict[str, dict[str, Value]]:
    """All that the steps send, by server and name there: several gradients of one name become their sum or mean."""
    values: dict[str, dict[str, Value]] = {}
    names = dict.fromkeys(name for step in steps for name in step)
    for name in names:
        sent = [step[name] for step in steps if name in step]
        attrs = sent[0][0]
        value = merged([value for _, value in sent], adds or attrs["merge_add"])
        for endpoint, piece_name, piece in addressed(attrs, [name], [value]):
            values.setdefault(endpoint, {})[piece_name] = piece
    return values


def merged(values: Sequence[Value], adds: bool) -> Value:
    """The sum or the mean of gradients."""
    if len(values) == 1:
        return values[0]
    share = 1.0 if adds else 1.0 / len(values)
    if isinstance(values[0], SelectedRows):
        rows = merged_rows(add_all([value for value in values if isinstance(value, SelectedRows)]))
        return rows if adds else SelectedRows.of(rows.index, rows.value * share, rows.n_rows)
    total = values[0].clone()
    for value in values[1:]:
        if isinstance(value, SelectedRows):
            raise EnforceNotMet("dense and sparse gradients of one variable cannot be merged")
        total += value
    return total if adds else total * share
