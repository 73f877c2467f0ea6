"""The variables of a server's scope in its snapshots: parameters, optimizer states, counters."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.table_rows import TableRows
from refluid.distributed.server.wire import Message, Value
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope
from refluid.tensor.selected_rows import SelectedRows

_PIECE = 16 << 20  # elements


class Variables:
    """The variables of the scope. Their changes are in the records of updates."""

    def __init__(self, scope: Scope):
        self._scope = scope

    def pieces(self) -> Iterator[Message]:
        for name in self._scope.local_var_names():
            var = self._scope.find_var(name)
            value = var.value if var is not None and var.is_initialized() else None
            if isinstance(value, LoDTensor):
                assert value.t is not None  # the variable is initialized
                yield from _in_parts(name, value.t)
            elif isinstance(value, TableRows):
                continue  # kept_tables.py
            elif isinstance(value, SelectedRows) and not value.numel():
                continue  # as a sparse gradient before the first round
            elif isinstance(value, SelectedRows):
                yield Message("rows", {"name": name}, {"value": value})
            elif value is not None:
                raise EnforceNotMet(f"{name} is a {type(value).__name__}, which a state folder cannot keep")

    def restore(self, pieces: Iterator[Message]) -> None:
        for piece in pieces:
            name, value = piece.fields["name"], piece.values["value"]
            if piece.kind == "tensor":
                value = self._whole(piece, pieces)
            self._set(name, value)

    def replay(self, message: Message) -> None:
        raise EnforceNotMet(f"variables have no records of their own, but one is {message.kind!r}")

    def _whole(self, first: Message, pieces: Iterator[Message]) -> torch.Tensor:
        parts = [_dense(first)]
        count = parts[0].numel()
        whole = torch.empty(first.fields["shape"], dtype=parts[0].dtype)
        while count < whole.numel():
            parts.append(_dense(next(pieces)))
            count += parts[-1].numel()
        torch.cat(parts, out=whole.view(-1))
        return whole

    def _set(self, name: str, value: Value) -> None:
        var = self._scope.var(name)
        if isinstance(value, SelectedRows):
            var.value = value
        else:
            var.get_tensor().t = value


def _dense(piece: Message) -> torch.Tensor:
    value = piece.values["value"]
    assert isinstance(value, torch.Tensor), "a piece of kind `tensor` holds a tensor"
    return value


def _in_parts(name: str, value: torch.Tensor) -> Iterator[Message]:
    flat = value.detach().contiguous().view(-1)
    for start in range(0, max(1, flat.numel()), _PIECE):
        yield Message("tensor", {"name": name, "shape": list(value.shape)}, {"value": flat[start : start + _PIECE]})
