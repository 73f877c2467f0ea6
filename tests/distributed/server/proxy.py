"""A TCP proxy that stands for the network between trainers and a server: it delays, cuts and resets."""

from __future__ import annotations

import contextlib
import random
import socket
import struct
import threading
import time

_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing breaks the connection at once


class Proxy:
    """Forwards connections to `target`, in threads of its own, until it is closed.

    While `cut` is set nothing passes and nothing is closed, as when a cable is pulled. `delay` is in seconds.
    """

    def __init__(self, target: str, port: int = 0):
        host, _, there = target.rpartition(":")
        self._target = host, int(there)
        self.cut, self.delay = False, 0.0
        self._closed = False
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._threads: list[threading.Thread] = []
        self._listening = socket.create_server(("127.0.0.1", port))
        self._listening.settimeout(0.1)
        self.endpoint = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._start(self._accept)

    def reset(self) -> None:
        """Break all connections, as a router does that was started again."""
        for one in [one for pair in self._pairs for one in pair]:
            with contextlib.suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                one.shutdown(socket.SHUT_RDWR)  # which wakes whoever reads

    def close(self) -> None:
        self._closed = True
        for thread in self._threads:
            thread.join()
        self._listening.close()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _start(self, run: object, *args: object) -> None:
        thread = threading.Thread(target=run, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closed:
            try:
                near, _ = self._listening.accept()
            except TimeoutError:
                continue
            try:
                far = socket.create_connection(self._target, 5)
            except OSError:
                near.close()
                continue
            self._pairs.append((near, far))
            self._start(self._forward, near, far)

    def _forward(self, near: socket.socket, far: socket.socket) -> None:
        back = threading.Thread(target=self._pass, args=(far, near), daemon=True)
        back.start()
        self._pass(near, far)
        back.join()
        self._pairs.remove((near, far))
        near.close()
        far.close()

    def _pass(self, here: socket.socket, there: socket.socket) -> None:
        here.settimeout(0.1)
        with contextlib.suppress(OSError):
            while not self._closed:
                try:
                    data = here.recv(1 << 16)
                except TimeoutError:
                    continue
                time.sleep(self.delay)
                while self.cut and not self._closed:
                    time.sleep(0.02)
                if not data:
                    break
                self._send(there, data)
        with contextlib.suppress(OSError):
            there.shutdown(socket.SHUT_RDWR)

    def _send(self, there: socket.socket, data: bytes) -> None:
        while data and not self._closed:
            with contextlib.suppress(TimeoutError):
                data = data[there.send(data) :]


def resetting(proxies: list[Proxy], chance: random.Random) -> None:
    """Reset and delay at random moments, for ever."""
    while True:
        time.sleep(chance.uniform(0.1, 0.8))
        proxy = chance.choice(proxies)
        proxy.delay = chance.choice([0.0, 0.0, 0.02, 0.1])
        if chance.random() < 0.5:
            proxy.reset()
