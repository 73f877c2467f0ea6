"""Logs connections that ended without a request, as reported by the kernel.

gRPC rejects what is no HTTP/2 and connections that stay half open, without a callback. Linux reports (by the groups of
destroyed sockets of NETLINK_SOCK_DIAG, which need no privilege) every TCP connection of the network namespace that
has ended, with its addresses and the number of bytes received. So there is no proxy between trainer and server. Where
the kernel does not report, as outside of Linux, such connections are not logged.
"""

from __future__ import annotations

import contextlib
import ctypes
import ipaddress
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

_SOCK_DIAG, _SOL_NETLINK, _ADD_MEMBERSHIP = 4, 270, 1
_GROUPS = (1, 3)  # TCP over IPv4 and IPv6
_ATTACH_FILTER = 26
_HEADER, _MESSAGE = 16, 72  # bytes of a netlink header, and of the inet_diag_msg behind it
_PORTS, _LOCAL, _REMOTE = _HEADER + 4, _HEADER + 8, _HEADER + 24  # where they are
_INFO = 2  # the attribute with the tcp_info
_SILENT, _RECEIVED = 52, 128  # where it has milliseconds since the last data, and bytes
_LATE = 1.0  # seconds until a received request reaches its handler
_HALF_OPEN = 5000  # milliseconds: a port probe sends nothing and closes at once
_MOST = 10_000


@dataclass
class Gone:
    """A connection that has ended; a stranger's, if no request came."""

    peer: str  # as gRPC calls it
    host: str
    received: int  # bytes
    silent: int  # milliseconds since the last of them, or since the beginning

    @property
    def why(self) -> str | None:
        """What is wrong with it; None: nothing."""
        if self.received > 1:  # the end of a stream counts as one
            return f"{self.received} bytes and no request of a trainer"
        return f"not a word for {self.silent // 1000} s" if self.silent > _HALF_OPEN else None


class Strangers:
    """Watches the connections of one port, in a thread of its own, until it is closed.

    Args:
        host: the address at which the server listens.
        tell: takes the address of a stranger and what it did.
    """

    def __init__(self, host: str, port: int, tell: Callable[[str, str], None]):
        self._tell = tell
        self._heard: set[str] = set()
        self._gone: deque[tuple[float, Gone]] = deque()  # with the time at which each ended
        self._judging = threading.Lock()
        self._closed = False
        events = _events(port)
        if events is not None:
            addresses = _addresses(host)
            threading.Thread(
                target=self._watch, args=(events, addresses), name=f"strangers at {port}", daemon=True
            ).start()
        self.watching = events is not None

    def heard(self, peer: str) -> None:
        """A request has come from there."""
        if self.watching and peer not in self._heard:
            if len(self._heard) >= _MOST:  # live peers will send requests again
                self._heard.clear()
            self._heard.add(peer)

    def close(self) -> None:
        """Watch no longer: connections that end from now on are ended by the server."""
        self._closed = True

    def judge_rest(self) -> None:
        """Tell of those that ended before `close`, when no request can come to a handler any more."""
        self._judge_until(time.monotonic())

    def _watch(self, events: socket.socket, addresses: set[str]) -> None:
        with events:
            events.settimeout(0.25)
            while not self._closed:
                with contextlib.suppress(OSError):  # a timeout, or an overflow of the socket's buffer
                    connection = _read(events.recv(1 << 16), addresses)
                    if connection is not None and len(self._gone) < _MOST and not self._closed:
                        self._gone.append((time.monotonic(), connection))
                self._judge_until(time.monotonic() - _LATE)

    def _judge_until(self, moment: float) -> None:
        """Judge the connections that had ended by then."""
        with self._judging:
            while self._gone and self._gone[0][0] <= moment:
                gone = self._gone.popleft()[1]
                if gone.peer in self._heard:
                    self._heard.discard(gone.peer)
                elif gone.why is not None:
                    self._tell(gone.host, gone.why)


def _events(port: int) -> socket.socket | None:
    """Messages about destroyed sockets of this local port; None where the kernel does not report them."""
    try:
        events = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG)
    except (AttributeError, OSError):
        return None
    try:
        events.bind((0, 0))
        _attach_filter(events, port)
        for group in _GROUPS:
            events.setsockopt(_SOL_NETLINK, _ADD_MEMBERSHIP, group)
    except OSError:
        events.close()
        return None
    return events


def _attach_filter(made: socket.socket, port: int) -> None:
    """Filter messages in the kernel by the local port: load it, compare, accept or drop."""
    steps = [(0x28, 0, 0, _PORTS), (0x15, 0, 1, port), (0x06, 0, 0, 0xFFFFFFFF), (0x06, 0, 0, 0)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    made.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, struct.pack("HP", len(steps), ctypes.addressof(code)))


def _addresses(host: str) -> set[str]:
    """The addresses of a host's name; empty: all of this machine."""
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(host.strip("[]"), None)}
    except OSError:
        return set()
    return set() if any(ipaddress.ip_address(one.partition("%")[0]).is_unspecified for one in found) else found


def _read(message: bytes, addresses: set[str]) -> Gone | None:
    """The connection that a message describes; None if it is of a server at another address."""
    if len(message) < _HEADER + _MESSAGE:
        return None
    local, remote = _address(message, _LOCAL), _address(message, _REMOTE)
    if addresses and local not in addresses:
        return None
    port = int.from_bytes(message[_PORTS + 2 : _PORTS + 4], "big")
    info = _info(message)
    if len(info) < _RECEIVED + 8:
        return None
    peer = f"ipv6:%5B{remote}%5D:{port}" if ":" in remote else f"ipv4:{remote}:{port}"
    (received,), (silent,) = struct.unpack_from("=Q", info, _RECEIVED), struct.unpack_from("=I", info, _SILENT)
    return Gone(peer, remote, received, silent)


def _address(message: bytes, start: int) -> str:
    raw = message[start : start + 16]
    if message[_HEADER] == socket.AF_INET:
        return str(ipaddress.IPv4Address(raw[:4]))
    found = ipaddress.IPv6Address(raw)
    return str(found.ipv4_mapped or found)


def _info(message: bytes) -> bytes:
    """The tcp_info among the attributes."""
    start = _HEADER + _MESSAGE
    while start + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, start)
        if kind & 0x3FFF == _INFO:
            return message[start + 4 : start + length]
        start += max(4, (length + 3) & ~3)
    return b""
