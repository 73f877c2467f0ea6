"""A training with parameter servers: its processes, and the placement of parameter pieces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from refluid.distributed.transpile.config import DistributeTranspilerConfig, ServerRuntimeConfig
from refluid.distributed.transpile.pserver.updates import Updates
from refluid.ir.program import Program

if TYPE_CHECKING:
    from refluid.ir.variable import Variable

# Fluid's own list: the updates that its transpiler applies piece by piece, lars_momentum with norms of the piece.
PIECEWISE = frozenset("sgd momentum lars_momentum adam adamax adagrad decayed_adagrad rmsprop ftrl".split())


@dataclass
class Piece:
    """A piece of a parameter, or all of it, and its gradient, as a trainer has them."""

    param: Any
    grad: Variable
    origin: str  # the parameter
    grad_origin: str
    number: int = 0
    first_row: int = 0
    cut: bool = False
    endpoint: str = ""

    @property
    def served_grad(self) -> str:
        """The name of the gradient on a server, where it is of no trainer in particular."""
        return f"{self.grad_origin}.block{self.number}" if self.cut else self.grad_origin


@dataclass
class Job:
    """The input of the programs to write."""

    main: Program
    startup: Program
    config: DistributeTranspilerConfig
    server_config: ServerRuntimeConfig
    endpoints: list[str]
    trainers: int
    trainer_id: int
    sync: bool
    mode: int
    updates: Updates
    table: str | None = None  # a distributed table
    table_padding: int = -1  # the id whose row is zeros
    pieces: list[Piece] = field(default_factory=list)  # in the order of parameters
    remote: dict[str, list[Piece]] = field(default_factory=dict)  # parameters whose rows are fetched batch by batch
    sent: dict[str, Any] = field(default_factory=dict)  # gradient -> the variable that orders operators behind its send
    counter: Variable | None = None  # of this trainer's steps, where servers add those of all
    dealt: list[Piece] = field(default_factory=list)  # the pieces in the order of sending

    @property
    def by_communicator(self) -> bool:
        """Whether the Communicator splits and sends, not operators of the program."""
        return self.config.runtime_split_send_recv

    @property
    def sums(self) -> bool:
        """Whether servers wait for the gradients of all trainers and add them."""
        return self.sync or (self.config.completely_not_async and self.trainers > 1)

    @property
    def parameters(self) -> dict[str, list[Piece]]:
        """The pieces of every parameter."""
        found: dict[str, list[Piece]] = {}
        for piece in self.pieces:
            found.setdefault(piece.origin, []).append(piece)
        return found

    def at(self, endpoint: str) -> list[Piece]:
        """The pieces of a server, in the order of assignment."""
        return [piece for piece in self.dealt if piece.endpoint == endpoint]

    def names_at(self, piece: Piece) -> dict[str, str]:
        """What a server calls the variables of a piece; those left out keep their names.

        If a dispatcher puts several pieces of a parameter on one server, the states of all but the first are numbered.
        """
        names = {
            piece.origin: piece.param.name,
            piece.grad_origin: piece.served_grad,
            piece.grad.name: piece.served_grad,
        }
        first = next(one for one in self.at(piece.endpoint) if one.origin == piece.origin)
        if first is not piece:
            for op in self.updates.of(piece.origin):
                for name in op.output_arg_names:
                    names.setdefault(name, f"{name}.block{piece.number}")
        return names
