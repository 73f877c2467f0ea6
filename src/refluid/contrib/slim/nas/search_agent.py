"""SearchAgent: asks a ControllerServer for tokens."""

from __future__ import annotations

import socket

from refluid.core.errors import ArgumentError, EnforceNotMet


class SearchAgent:
    """Tells a server rewards, and gets tokens.

    Args:
        server_ip, server_port: where the server listens.
        key: the server's.
    """

    def __init__(self, server_ip: str | None = None, server_port: int | None = None, key: str | None = None):
        self.server_ip, self.server_port, self._key = server_ip, server_port, key

    def update(self, tokens: list[int], reward: float) -> list[int]:
        """Tell how good tokens were; the next ones."""
        return self._ask(f"{self._key}\t{','.join(str(token) for token in tokens)}\t{reward}")

    def next_tokens(self) -> list[int]:
        return self._ask("next_tokens")

    def _ask(self, message: str) -> list[int]:
        if self.server_port is None:
            raise ArgumentError("SearchAgent: server_port must be given")
        with socket.create_connection((self.server_ip, self.server_port)) as connection:
            connection.send(message.encode())
            answer = connection.recv(1024).decode().strip("\n")
        if not answer:
            raise EnforceNotMet(
                f"SearchAgent: {self.server_ip}:{self.server_port} gave no tokens; is the key {self._key!r} its own?"
            )
        return [int(token) for token in answer.split(",")]
