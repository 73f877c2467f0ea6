"""The exchange of messages among the processes of a fleet: everybody has one for everybody else.

Every process listens on its endpoint and calls those before it in the list. A connection begins with who is calling, so
that a stranger is turned away; nothing that arrives is run or unpickled. All waiting ends after WAIT_SECONDS.
"""

from __future__ import annotations

import hashlib
import socket
import struct
import threading
import time
from collections.abc import Sequence

from refluid.core.errors import ArgumentError, EnforceNotMet

WAIT_SECONDS = 300.0  # for the slowest process to arrive, and for a message to go through
_RETRY_SECONDS = 0.05
_HELLO = struct.Struct("<16sI")  # which fleet, who calls
_SIZE = struct.Struct("<Q")


def exchange(messages: Sequence[bytes], index: int, endpoints: Sequence[str]) -> list[bytes]:
    """What the processes have for this one, in their order. `messages` has one for every process.

    Args:
        index: the index of this process in `endpoints`.
        endpoints: "host:port" of every process, the same list everywhere.
    """
    if not 0 <= index < len(endpoints) or len(messages) != len(endpoints):
        raise ArgumentError(
            f"global_shuffle: worker {index} of {len(endpoints)} has {len(messages)} messages, one per worker expected"
        )
    end = time.monotonic() + WAIT_SECONDS
    fleet = mark_of(endpoints)
    peers = _connect(index, endpoints, fleet, end)
    received = [b""] * len(endpoints)
    received[index] = messages[index]
    problems: list[tuple[int, Exception]] = []

    def talk(peer: int) -> None:
        # The lower one sends first; both sending at once could fill both buffers.
        try:
            for turn in (0, 1):
                if (index < peer) == (turn == 0):
                    peers[peer].sendall(_SIZE.pack(len(messages[peer])))
                    peers[peer].sendall(messages[peer])
                else:
                    (size,) = _SIZE.unpack(_exactly(peers[peer], _SIZE.size))
                    received[peer] = _exactly(peers[peer], size)
        except (OSError, EOFError) as problem:
            problems.append((peer, problem))

    try:
        threads = [threading.Thread(target=talk, args=(peer,), daemon=True, name="refluid-exchange") for peer in peers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for connection in peers.values():
            connection.close()
    if problems:
        peer, problem = problems[0]
        raise EnforceNotMet(f"global_shuffle: worker {peer} at {endpoints[peer]} went away ({problem})")
    return received


def mark_of(endpoints: Sequence[str]) -> bytes:
    """What the processes of a fleet know one another by."""
    return hashlib.blake2b(",".join(endpoints).encode(), digest_size=16).digest()


def _connect(index: int, endpoints: Sequence[str], fleet: bytes, end: float) -> dict[int, socket.socket]:
    """A connection to every other process."""
    peers: dict[int, socket.socket] = {}
    listener = _listen(endpoints[index], index)
    try:
        for peer in range(index):
            peers[peer] = _call(endpoints[peer], peer, fleet, index, end)
        while len(peers) < len(endpoints) - 1:
            left = end - time.monotonic()
            if left <= 0:
                absent = [i for i in range(len(endpoints)) if i != index and i not in peers]
                told = ", ".join(f"{i} ({endpoints[i]})" for i in absent)
                raise EnforceNotMet(f"global_shuffle: no message from worker {told} within {WAIT_SECONDS:g} s")
            listener.settimeout(left)
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            caller = _caller(connection, fleet, left)
            if caller is None or not index < caller < len(endpoints) or caller in peers:
                connection.close()
            else:
                peers[caller] = connection
    except BaseException:
        for connection in peers.values():
            connection.close()
        raise
    finally:
        listener.close()
    return peers


def _listen(endpoint: str, index: int) -> socket.socket:
    try:
        return socket.create_server(_address(endpoint))
    except OSError as problem:
        raise EnforceNotMet(f"global_shuffle: worker {index} cannot listen on {endpoint} ({problem})") from None


def _call(endpoint: str, peer: int, fleet: bytes, index: int, end: float) -> socket.socket:
    while True:
        left = end - time.monotonic()
        try:
            connection = socket.create_connection(_address(endpoint), timeout=max(left, 0.001))
            connection.settimeout(WAIT_SECONDS)
            connection.sendall(_HELLO.pack(fleet, index))
            return connection
        except OSError as problem:  # it does not listen yet
            if left <= 0:
                raise EnforceNotMet(
                    f"global_shuffle: no message from worker {peer} ({endpoint}) within {WAIT_SECONDS:g} s: {problem}"
                ) from None
            time.sleep(_RETRY_SECONDS)


def _caller(connection: socket.socket, fleet: bytes, seconds: float) -> int | None:
    """The index of the caller; None for a process that is not of this fleet."""
    connection.settimeout(min(seconds, 5.0))
    try:
        caller_fleet, caller = _HELLO.unpack(_exactly(connection, _HELLO.size))
    except (OSError, EOFError):
        return None
    connection.settimeout(WAIT_SECONDS)
    return caller if caller_fleet == fleet else None


def _address(endpoint: str) -> tuple[str, int]:
    host, _, port = endpoint.rpartition(":")
    if not host or not port.isdigit():
        raise ArgumentError(f'global_shuffle: an endpoint is "host:port", got {endpoint!r}')
    return host, int(port)


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(min(size, 1 << 20))
        if not part:
            raise EOFError("the connection was closed")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
