"""Communicator: the thread of a trainer that exchanges with parameter servers."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.distributed.server import emit as emit  # registers the operators
from refluid.ir.program import Program


class Communicator:
    """Exchanges gradients and parameters of a transpiled program with its servers.

    Args:
        program: the trainer's, made by DistributeTranspiler.
        mode: a DistributedMode.
        kwargs, envs: pserver_endpoints, trainer_id and settings.
    """

    def __init__(
        self,
        program: Program,
        mode: Any = None,
        kwargs: dict[str, Any] | None = None,
        envs: dict[str, str] | None = None,
    ):
        if not isinstance(program, Program):
            raise ArgumentError(f"Communicator: program must be a Program, got {type(program).__name__}")
        self.program = program
        self.mode = mode
        self._running = False

    def start(self) -> None:
        """Begin to exchange; a program without servers has nothing to exchange."""
        if any(op.type in ("send", "recv") for op in self.program.global_block().ops):
            raise EnforceNotMet("Communicator.start: parameter servers are not there yet")
        self._running = True

    def stop(self) -> None:
        self._running = False

    def is_running(self) -> bool:
        return self._running
