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
from refluid.distributed.server.access import Challenges, proof, proves
from refluid.distributed.server.transport import Connection, Handler, Listener, Refused, Unreachable
from refluid.distributed.server.wire import Message
from tests.distributed.ranks import free_ports


@contextlib.contextmanager
def listening(handle: Handler, port: int = 0, most: int = 1 << 20) -> Iterator[tuple[Connection, list[str]]]:
    said: list[str] = []
    listener = Listener(f"127.0.0.1:{port}", handle, 4, most, said.append)
    connection = Connection(f"127.0.0.1:{listener.port}")
    try:
        yield connection, said
    finally:
        connection.close()
        listener.close(0)


def echo(message: Message) -> Message:
    return Message("echo", message.fields, message.values)


def refuse(message: Message) -> Message:
    raise Refused("no", "not today")


def fail(message: Message) -> Message:
    raise ValueError("a mistake")


def test_an_answer_comes_back() -> None:
    with listening(echo) as (connection, _):
        answer = connection.call(Message("x", {"a": [1, "b"]}, {"t": torch.arange(3.0)}), 5)
        assert answer.fields == {"a": [1, "b"]} and answer.values["t"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(("handle", "text"), [(refuse, "not today"), (fail, "ValueError: a mistake")])
def test_a_refusal_and_a_failure_are_told_to_both_sides(handle: Handler, text: str) -> None:
    with listening(handle) as (connection, said):
        for _ in range(2):
            with pytest.raises(Refused, match=text):
                connection.call(Message("x"), 5)
        assert text in said[0]


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(EnforceNotMet, match="cannot listen at 127.0.0.1:"):
            Listener(f"127.0.0.1:{taken.getsockname()[1]}", echo, 1, 1000, print)


def test_two_servers_cannot_share_a_port() -> None:
    with listening(echo) as (connection, _):
        with pytest.raises(EnforceNotMet, match="cannot listen at"):
            Listener(connection.endpoint, echo, 1, 1000, print)


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


def test_a_request_waits_for_a_server_that_comes_later() -> None:
    port = free_ports(1)[0]
    connection = Connection(f"127.0.0.1:{port}")
    answers: list[Message] = []
    asking = threading.Thread(target=lambda: answers.append(connection.call(Message("x", {"a": 1}), 30)))
    asking.start()
    time.sleep(0.5)
    with listening(echo, port):
        asking.join(30)
    connection.close()
    assert answers[0].fields == {"a": 1}


def test_a_message_beyond_the_limit_is_not_taken() -> None:
    with listening(echo, most=10_000) as (connection, _):
        with pytest.raises(Unreachable, match="larger than max"):
            connection.call(Message("x", {}, {"t": torch.zeros(10_000)}), 5)
        assert connection.call(Message("x"), 5).kind == "echo"


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x40\x00\x00\x00" * 1000, b""])
def test_strangers_at_the_port_do_no_harm(garbage: bytes) -> None:
    with listening(echo) as (connection, _):
        host, port = connection.endpoint.split(":")
        with socket.create_connection((host, int(port)), 5) as stranger:
            stranger.sendall(garbage)
            assert connection.call(Message("x"), 5).kind == "echo"


def test_bytes_that_are_no_message_are_refused_with_one_line() -> None:
    with listening(echo) as (connection, said):
        for _ in range(3):
            connection._call(b"nothing of ours", timeout=5)
        assert len(said) == 1 and "do not begin as a message" in said[0]


def test_a_proof_needs_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    made = proof("trainer", "number", "1")
    assert proves(made, "trainer", "number", "1")
    assert not proves(made, "trainer", "number", "2") and not proves(made, "server", "number", "1")
    monkeypatch.setenv("REFLUID_JOB_TOKEN", "secret")
    assert not proves(made, "trainer", "number", "1")


def test_a_challenge_counts_once_and_few_are_kept() -> None:
    challenges = Challenges()
    first, second = challenges.new(), challenges.new()
    assert challenges.take(first) and not challenges.take(first) and not challenges.take(["x"])
    for _ in range(2000):
        challenges.new()
    assert not challenges.take(second)
