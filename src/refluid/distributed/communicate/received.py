"""What a program's `recv` operators fetch, when the Communicator does it in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.wire import Value
from refluid.executor.runtime import put
from refluid.ir.program import Program
from refluid.tensor.scope import Scope


class Received:
    """Parameters that come from servers in pieces, and their variables here.

    A variable gets a new tensor: a step that runs meanwhile goes on with the ones it began with.
    """

    def __init__(self, program: Program, scope: Scope):
        self._scope = scope
        self._pieces: dict[str, list[tuple[str, str]]] = {}  # variable -> its pieces: (endpoint, name there)
        for op in program.global_block().ops:
            if op.type == "recv" and op.attrs.get("recv_varnames"):
                pieces = zip(op.attrs["epmap"], op.attrs["recv_varnames"], strict=True)
                self._pieces[op.output("Out")[0]] = list(pieces)

    @property
    def wanted(self) -> dict[str, list[str]]:
        """Names by server."""
        found: dict[str, list[str]] = {}
        for pieces in self._pieces.values():
            for endpoint, name in pieces:
                found.setdefault(endpoint, []).append(name)
        return found

    def put(self, brought: Mapping[str, Mapping[str, Value]]) -> None:
        """Set the variables to the values received."""
        for variable, pieces in self._pieces.items():
            found = [brought[endpoint][name] for endpoint, name in pieces if name in brought.get(endpoint, {})]
            if len(found) == len(pieces):
                put(self._scope.var(variable), found[0] if len(found) == 1 else _joined(found), True)


def _joined(pieces: Sequence[Value]) -> torch.Tensor:
    """A parameter of which servers hold pieces."""
    dense = [piece for piece in pieces if isinstance(piece, torch.Tensor)]
    if len(dense) < len(pieces):
        raise EnforceNotMet("servers hold pieces of a parameter as SelectedRows, which cannot be concatenated")
    return torch.cat(dense)
