"""Connections at a server's port that are none of a trainer: half open, garbage, HTTP, messages said to be huge.

gRPC turns away by itself what is no HTTP/2; the server has one line in its log of that, as of what it refuses.
"""

from __future__ import annotations

import contextlib
import random
import re
import socket
import threading
from collections.abc import Iterator

import pytest

from refluid.distributed.server import local, strangers
from refluid.distributed.server.transport import Connection, Listener
from refluid.distributed.server.wire import Message
from tests.distributed.ranks import TIMEOUT
from tests.distributed.server.test_once import Life, Servers, check, until
from tests.distributed.server.test_transport import admit, echo, listening, request

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, DATA, HEADERS = 4, 0, 1
BOUND = 200 << 20  # bytes, far below what was announced


def kernel_tells() -> bool:
    events = strangers._events(1)
    if events is not None:
        events.close()
    return events is not None


TOLD = pytest.mark.skipif(not kernel_tells(), reason="the kernel does not tell of connections that have ended")


def frame(kind: int, flags: int, stream: int, payload: bytes, length: int | None = None) -> bytes:
    """A frame of HTTP/2, which may tell another length than it has."""
    told = len(payload) if length is None else length
    return told.to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def opened_call(method: str, **metadata: str) -> bytes:
    """A call of gRPC up to its body."""
    headers = {":method": "POST", ":scheme": "http", ":path": f"/refluid.Server/{method}", ":authority": "x"}
    headers |= {"content-type": "application/grpc", "te": "trailers"}
    headers |= {name.replace("_", "-"): value for name, value in metadata.items()}
    packed = b"".join(b"\0" + _text(name) + _text(value) for name, value in headers.items())
    return PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, 4, 1, packed)


def _text(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()


def resident() -> int:
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def connected(endpoint: str) -> socket.socket:
    host, port = endpoint.split(":")
    return socket.create_connection((host, int(port)), 60)


def answered(stranger: socket.socket, text: bytes) -> bool:
    """Whether the server says `text` before it closes or is silent for a minute."""
    found = b""
    with contextlib.suppress(OSError):
        while text not in found and (data := stranger.recv(1 << 16)):
            found += data
    return text in found


@pytest.mark.parametrize(
    ("method", "who", "says"),
    [
        ("Call", {"refluid_trainer": "0", "refluid_session": "ours"}, b"larger than max"),
        ("Call", {"refluid_trainer": "0", "refluid_session": "guessed"}, b"no member"),
        ("Knock", {}, b"do not begin with the magic number"),
    ],
    ids=["member", "stranger", "stranger that knocks"],
)
def test_a_message_that_is_said_to_have_a_gigabyte_is_refused_and_takes_no_memory(
    method: str, who: dict[str, str], says: bytes
) -> None:
    with listening(echo) as (connection, said):
        before = resident()
        with connected(connection.endpoint) as stranger:
            body = b"\0" + (1 << 30).to_bytes(4, "big") + bytes(1000)
            stranger.sendall(opened_call(method, **who) + frame(DATA, 0, 1, body))
            assert answered(stranger, says)
        assert connection.call(request(), 60).kind == "echo"
        assert resident() - before < BOUND
        if "ours" not in who.values() or kernel_tells():
            until(lambda: len(said) == 1)  # of a member's, when its connection has ended: gRPC has refused it
            assert "ours" not in who.values() or "bytes and no request" in said[0]


def test_a_frame_that_is_said_to_have_16_megabytes_takes_none() -> None:
    with listening(echo) as (connection, _):
        before = resident()
        strangers = [connected(connection.endpoint) for _ in range(50)]
        for stranger in strangers:
            stranger.sendall(opened_call("Call") + frame(DATA, 0, 1, b"\0" * 100, length=(1 << 24) - 1))
        assert connection.call(request(), 60).kind == "echo"
        assert resident() - before < BOUND
        for stranger in strangers:
            stranger.close()


@TOLD
@pytest.mark.parametrize(
    "words",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x40\x00\x00\x00" + bytes(1000),
        PREFACE[:12],
        PREFACE + bytes(1000),
        opened_call("Nothing"),
    ],
    ids=["HTTP", "a gigabyte", "half a preface", "no frames", "another service"],
)
def test_what_is_no_request_is_told_in_one_line(words: bytes) -> None:
    with listening(echo) as (connection, said):
        for _ in range(3):
            with connected(connection.endpoint) as stranger:
                stranger.sendall(words)
        until(lambda: bool(said))
        assert connection.call(request(), 60).kind == "echo"
        assert len(said) == 1 and "turned 127.0.0.1 away: " in said[0] and "bytes and no request" in said[0]


@TOLD
def test_a_connection_that_stays_half_open_is_told_and_one_that_looks_who_is_there_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(strangers, "_HALF_OPEN", 1000)
    with listening(echo) as (connection, said):
        connected(connection.endpoint).close()
        with connected(connection.endpoint) as stranger:
            assert not answered(stranger, b"x" * 100_000)  # but it is closed by the server
        until(lambda: bool(said))
        assert len(said) == 1 and "turned 127.0.0.1 away: not a word for" in said[0]


@TOLD
def test_trainers_that_take_the_port_are_no_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "socket_of", lambda endpoint: None)
    with listening(echo) as (connection, said):
        for _ in range(3):
            other = Connection(connection.endpoint)
            assert other.call(request(), 60).kind == "echo"
            assert other.call(Message("hello"), 60).kind == "echo"
            other.close()
        with connected(connection.endpoint) as stranger:  # told after them: they have been judged then
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
        until(lambda: bool(said))
        assert len(said) == 1 and re.search("turned 127.0.0.1 away: 1[89] bytes", said[0])  # the end may count as one


def garbage(chance: random.Random) -> bytes:
    return chance.choice(
        [
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"POST /x HTTP/1.1\r\nContent-Length: 1073741824\r\n\r\n" + bytes(1000),
            chance.randbytes(5000),
            PREFACE + chance.randbytes(5000),
            opened_call("Nothing"),
            opened_call("Call") + chance.randbytes(5000),
        ]
    )


def test_training_goes_on_beside_half_open_connections_and_garbage() -> None:
    servers, before, done = Servers(), resident(), threading.Event()
    half_open, failures = [], []

    def disturb(endpoint: str, seed: int) -> None:
        chance = random.Random(seed)
        try:
            while not done.is_set():
                with connected(endpoint) as stranger, contextlib.suppress(OSError):
                    stranger.sendall(garbage(chance))
        except OSError as error:
            failures.append(error)

    def cells() -> Iterator[int]:
        """More steps while 200 connections are half open, and garbage is sent."""
        yield from range(5)
        started.wait(TIMEOUT)
        yield from range(5, 40)

    started = threading.Event()
    lives = [Life(number, servers, cells(), 40) for number in range(2)]
    until(lambda: all(len(life.acknowledged) >= 5 for life in lives))
    for number in range(200):
        stranger = connected(servers.endpoints[number % 2])
        stranger.sendall(PREFACE[: number % 2 * 12])  # nothing, or half of it
        half_open.append(stranger)
    disturbing = [threading.Thread(target=disturb, args=(one, i)) for i, one in enumerate(servers.endpoints)]
    for thread in disturbing:
        thread.start()
    started.set()
    until(lambda: all(len(life.acknowledged) == 40 for life in lives) or any(life.failure for life in lives))
    done.set()
    for thread in disturbing:
        thread.join(TIMEOUT)
    grown = resident() - before
    for stranger in half_open:
        stranger.close()
    check(servers, lives)
    assert not failures and grown < BOUND


def test_one_line_is_said_of_a_stranger_however_often_it_asks() -> None:
    said: list[str] = []
    listener = Listener("127.0.0.1:0", echo, admit, 4, 1 << 20, said.append)
    connection = Connection(f"127.0.0.1:{listener.port}")
    for _ in range(20):
        with pytest.raises(Exception, match="no member"):
            connection.call(Message("x", {"trainer": 3, "session": "guessed"}), 60)
    assert len(said) == 1
    connection.close()
    listener.close(0)
