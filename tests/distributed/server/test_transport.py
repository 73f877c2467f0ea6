"""Requests and answers over real sockets of the loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import torch

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server import deadlines, local, serve, transport
from refluid.distributed.server.access import Challenges, proof, proves
from refluid.distributed.server.transport import Connection, Handler, Listener, Refused, Unreachable
from refluid.distributed.server.wire import Message, decode, encode
from tests.distributed.ranks import TIMEOUT, free_ports


@contextlib.contextmanager
def listening(handle: Handler, port: int = 0, most: int = 1 << 20) -> Iterator[tuple[Connection, list[str]]]:
    said: list[str] = []
    listener = Listener(f"127.0.0.1:{port}", handle, admit, 4, most, said.append)
    connection = Connection(f"127.0.0.1:{listener.port}")
    try:
        yield connection, said
    finally:
        connection.close()
        listener.close(0)


def admit(number: int, session: str) -> None:
    if (number, session) != (0, "ours"):
        raise Refused("expired", "no member")


def request(values: dict[str, torch.Tensor] | None = None, **fields: object) -> Message:
    """A request of a member."""
    return Message("x", {"trainer": 0, "session": "ours", **fields}, values or {})


def echo(message: Message) -> Message:
    return Message("echo", message.fields, message.values)


def refuse(message: Message) -> Message:
    raise Refused("no", "not today")


def fail(message: Message) -> Message:
    raise ValueError("a mistake")


@pytest.mark.parametrize("size", [0, 1000, transport._SMALL, 2 * transport._SMALL])
def test_requests_of_all_sizes_are_read_alike(size: int) -> None:
    """Small ones are in the metadata, others are bodies."""
    with listening(echo) as (connection, said):
        assert connection.call(request(text="ä" * size), 60).fields["text"] == "ä" * size
        with pytest.raises(Refused, match="no member"):
            connection.call(Message("x", {"trainer": 0, "session": "theirs", "text": "b" * size}), 60)
    assert len(said) == 1


def test_an_answer_comes_back() -> None:
    with listening(echo) as (connection, _):
        answer = connection.call(request({"t": torch.arange(3.0)}, a=[1, "b"]), 60)
        assert answer.fields["a"] == [1, "b"] and answer.values["t"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(("handle", "text"), [(refuse, "not today"), (fail, "ValueError: a mistake")])
def test_a_refusal_and_a_failure_are_told_to_both_sides(handle: Handler, text: str) -> None:
    with listening(handle) as (connection, said):
        for _ in range(2):
            with pytest.raises(Refused, match=text):
                connection.call(Message("x"), 60)
        assert text in said[0]


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(EnforceNotMet, match="cannot listen at 127.0.0.1:"):
            Listener(f"127.0.0.1:{taken.getsockname()[1]}", echo, admit, 1, 1000, print)


def test_two_servers_cannot_share_a_port() -> None:
    with listening(echo) as (connection, _):
        with pytest.raises(EnforceNotMet, match="cannot listen at"):
            Listener(connection.endpoint, echo, admit, 1, 1000, print)


def test_the_server_listens_at_its_address_alone() -> None:
    with listening(echo) as (connection, _):
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.2", int(connection.endpoint.split(":")[1])), 2).close()


def test_a_server_that_is_not_there_is_named() -> None:
    endpoint = f"127.0.0.1:{free_ports(1)[0]}"
    connection = Connection(endpoint)
    with pytest.raises(Unreachable, match=f"the server at {endpoint} does not answer"):
        connection.call(Message("x"), 0.5)
    connection.close()


def test_a_trainer_gives_a_server_up_within_a_minute_if_nobody_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hangs is noticed by keepalive; then, or when its connection breaks, patience begins."""
    monkeypatch.delenv("REFLUID_SERVER_PATIENCE", raising=False)
    options = dict(transport._KEEPALIVE)
    noticed = (options["grpc.keepalive_time_ms"] + options["grpc.keepalive_timeout_ms"]) / 1000
    last_attempt = transport._PAUSE + 2.0  # a connection that cannot be made
    assert noticed + deadlines.gone() + last_attempt < 60


def test_the_others_go_on_within_ten_seconds_of_a_death_if_nobody_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("REFLUID_TRAINER_LEASE")
    assert deadlines.lease() + serve._LOOK < 10


def test_a_request_waits_for_a_server_that_comes_later() -> None:
    port = free_ports(1)[0]
    connection = Connection(f"127.0.0.1:{port}")
    answers: list[Message] = []
    asking = threading.Thread(target=lambda: answers.append(connection.call(Message("x", {"a": 1}), 60)))
    asking.start()
    time.sleep(0.5)
    with listening(echo, port):
        asking.join(TIMEOUT)
    connection.close()
    assert answers[0].fields == {"a": 1}


def test_a_message_beyond_the_limit_is_not_taken() -> None:
    with listening(echo, most=10_000) as (connection, _):
        with pytest.raises(Unreachable, match="larger than max"):
            connection.call(request({"t": torch.zeros(10_000)}), 60)
        assert connection.call(Message("x"), 60).kind == "echo"


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x40\x00\x00\x00" * 1000, b""])
def test_strangers_at_the_port_do_no_harm(garbage: bytes) -> None:
    with listening(echo) as (connection, _):
        host, port = connection.endpoint.split(":")
        with socket.create_connection((host, int(port)), TIMEOUT) as stranger:
            stranger.sendall(garbage)
            assert connection.call(Message("x"), 60).kind == "echo"


def test_bytes_that_are_no_message_are_refused_with_one_line() -> None:
    with listening(echo) as (connection, said):
        for _ in range(3):
            connection._knock(b"", metadata=(("refluid-message-bin", b"nothing of ours"),), timeout=60)
        assert len(said) == 1 and "do not begin with the magic number" in said[0]


def test_nothing_of_a_stranger_is_read_but_what_fits_into_a_header(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    answer = Listener._answer
    monkeypatch.setattr(
        Listener, "_answer", lambda self, data, *more: read.append(len(data)) or answer(self, data, *more)
    )
    with listening(echo, most=1 << 30) as (connection, said):
        data = encode(Message("x", {}, {"t": torch.zeros(5_000_000)}))
        for who in ((), (("refluid-trainer", "0"), ("refluid-session", "guessed")), (("refluid-trainer", "x"),)):
            assert decode(connection._call(data, metadata=who, timeout=60)).kind == "refused"
        assert decode(connection._knock(data, timeout=60)).kind == "refused"
        assert max(read) < 8192 and "no member" in said[0]
        with pytest.raises(Unreachable):
            connection.call(Message("x", {"long": "x" * 40_000}), 0)
        assert connection.call(request(), 60).kind == "echo"


@pytest.mark.parametrize("where", ["socket", "port"])
def test_a_connection_takes_the_socket_of_its_host_or_else_the_port(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def peer(message: Message) -> Message:
        return Message("x", {})

    listener = Listener("127.0.0.1:0", peer, admit, 4, 1 << 20, said.append)
    endpoint = f"127.0.0.1:{listener.port}"
    path = local.socket_of(endpoint)
    assert path is not None and path.is_socket() and path.parent.stat().st_mode & 0o077 == 0
    if where == "port":
        path.unlink()
    connection = Connection(endpoint)
    with pytest.raises(Refused):
        connection.call(Message("y", {"trainer": 0, "session": "wrong"}), 60)
    assert ("unix" in said[0]) == (where == "socket")
    connection.close()
    listener.close(0)
    end = time.monotonic() + TIMEOUT
    while path.exists():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("failures", [0, 1, 2])
def test_a_trainer_that_was_there_before_its_server_takes_the_socket_too(failures: int) -> None:
    port = free_ports(1)[0]
    connection = Connection(f"127.0.0.1:{port}")
    for _ in range(failures):
        connection._turn(connection._channel)
    with listening(echo, port) as (_, said):
        assert connection.call(Message("hello", {}), 60).kind == "echo"
        with pytest.raises(Refused):
            connection.call(Message("y", {"trainer": 0, "session": "wrong"}), 60)
    connection.close()
    assert "unix" in said[0]


def test_a_socket_that_a_killed_server_has_left_is_passed_by_and_taken_over() -> None:
    port = free_ports(1)[0]
    path = local.socket_of(f"127.0.0.1:{port}")
    assert path is not None
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    connection = Connection(f"127.0.0.1:{port}")
    with listening(echo, port):
        assert connection.call(request(), 60).kind == "echo"
        path.unlink()
        assert connection.call(request(), 60).kind == "echo"
    connection.close()


def test_a_proof_needs_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    made = proof("trainer", "number", "1")
    assert proves(made, "trainer", "number", "1")
    assert not proves(made, "trainer", "number", "2") and not proves(made, "server", "number", "1")
    monkeypatch.setenv("REFLUID_JOB_TOKEN", "secret")
    assert not proves(made, "trainer", "number", "1")


def test_a_challenge_counts_once_and_few_are_kept() -> None:
    challenges = Challenges()
    first, second = challenges.new(), challenges.new()
    assert challenges.take(first) == 1 and challenges.take(first) is None and challenges.take(["x"]) is None
    for _ in range(2000):
        challenges.new()
    assert challenges.take(second) is None


@pytest.mark.parametrize("endpoint", ["127.0.0.1", "127.0.0.1:port", ":6174", "127.0.0.1:70000"])
def test_an_endpoint_without_a_port_is_refused(endpoint):
    """gRPC would listen at a port of its own choice, or speak of one that is in use."""
    with pytest.raises(EnforceNotMet, match=r"expected host:port, as in 127\.0\.0\.1:6174") as refused:
        Listener(endpoint, lambda message: message, admit, 4, 1 << 20, print)
    assert repr(endpoint) in str(refused.value)
