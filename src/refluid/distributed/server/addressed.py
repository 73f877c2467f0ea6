"""The pieces that a `send` operator sends, with their endpoints and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.distributed.server.wire import Value
from refluid.tensor.selected_rows import SelectedRows, cut_rows


def addressed(attrs: dict[str, Any], names: list[str], values: list[Value]) -> Iterator[tuple[str, str, Value]]:
    """(endpoint, name, piece) of all that a `send` with these attributes sends; `names` are those of its inputs."""
    epmap, pieces = attrs["epmap"], values
    if attrs["send_varnames"]:
        names, pieces = attrs["send_varnames"], cut(values[0], attrs["sections"])
    if not attrs["use_send_handler"]:  # the steps of a schedule: all servers count them
        names, pieces = names * len(epmap), pieces * len(epmap)
    same_length(names, pieces, epmap)
    yield from zip(epmap, names, pieces, strict=True)


def cut(value: Value, sections: list[int]) -> list[Value]:
    """Pieces along the first axis: of so many rows each."""
    if len(sections) < 2:
        return [value]
    if not isinstance(value, SelectedRows):
        return list(value.split(list(sections)))
    return list(cut_rows(value, sections))


def same_length(names: Sequence[str], values: Sequence[object], epmap: Sequence[str]) -> None:
    if not len(names) == len(values) == len(epmap):
        raise ArgumentError(f"{len(values)} variables with {len(names)} names go to {len(epmap)} servers of epmap")
