"""ControllerServer: proposes tokens to agents over sockets.

A message is `next_tokens`, or `key<TAB>tokens<TAB>reward`; the answer to both is the next tokens, `1,0,2`.
"""

from __future__ import annotations

import socket
from threading import Thread
from typing import Any

from refluid.contrib.slim.log import logger_of

_logger = logger_of(__name__)
_PATIENCE = 0.2  # seconds after which it checks whether it was closed


class ControllerServer:
    """Listens in a thread of its own.

    Args:
        controller: who proposes tokens.
        address: (ip, port). An empty ip means this machine alone, 127.0.0.1; port 0 lets the system choose one.
        max_client_num: how many agents may wait.
        search_steps: after how many rewards it ends; None for never.
        key: rewards without it are ignored.
    """

    def __init__(
        self,
        controller: Any = None,
        address: tuple[str, int] = ("", 0),
        max_client_num: int = 100,
        search_steps: int | None = None,
        key: str | None = None,
    ):
        self._controller, self._search_steps, self._key = controller, search_steps, key
        self._address = (address[0] or "127.0.0.1", address[1])
        self._ip, self._port = self._address
        self._max_client_num = max_client_num
        self._closed = False

    def start(self) -> str:
        """Listen from now on; the name of the thread."""
        self._socket_server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket_server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket_server.bind(self._address)
        self._socket_server.listen(self._max_client_num)
        self._socket_server.settimeout(_PATIENCE)
        self._ip, self._port = self._socket_server.getsockname()
        _logger.info("listening on %s:%d", self._ip, self._port)
        thread = Thread(target=self.run, daemon=True)
        thread.start()
        return str(thread)

    def close(self) -> None:
        """End after the request that is being answered."""
        self._closed = True

    def ip(self) -> str:
        return self._ip

    def port(self) -> int:
        return self._port

    def run(self) -> None:
        with self._socket_server:
            while not self._closed and (self._search_steps is None or self._controller._iter < self._search_steps):
                try:
                    connection, address = self._socket_server.accept()
                except TimeoutError:
                    continue
                with connection:
                    self._answer(connection, address)
        _logger.info("the server has ended")

    def _answer(self, connection: socket.socket, address: object) -> None:
        connection.settimeout(10)
        try:
            message = connection.recv(1024).decode().strip("\n")
            if message != "next_tokens":
                key, tokens, reward = message.split("\t")
                if key != self._key:
                    raise ValueError("the key is another one")
                self._controller.update([int(token) for token in tokens.split(",")], float(reward))
            connection.send(",".join(str(token) for token in self._controller.next_tokens()).encode())
        except (ValueError, OSError) as problem:
            _logger.info("passed over a message of %s: %s", address, problem)
