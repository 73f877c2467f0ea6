"""Who is let in: trainers of another job, program or number of trainers are refused before they do harm."""

from __future__ import annotations

import threading
import time

import pytest

import paddle.fluid as fluid
from refluid.distributed.server import transport
from refluid.distributed.server.access import job_fingerprint
from refluid.distributed.server.job_facts import NOTHING, About, about
from refluid.distributed.server.peer import Peer
from refluid.distributed.server.trainer import Trainer
from refluid.distributed.server.transport import Connection, Refused, Unreachable
from refluid.distributed.server.wire import Message
from tests.distributed.ranks import TIMEOUT
from tests.distributed.server.test_once import Life, Servers, check, until


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (About(trainers=3), "trainer 1 is one of 3 trainers, but this server waits for 2"),
        (About(received={}), "other server endpoints"),
        (About(received={"all": ["embedding.w"]}), "runs another program than this server, which has no variable emb"),
    ],
)
def test_a_stranger_does_not_take_the_place_of_a_trainer(told: About, says: str, capfd: pytest.CaptureFixture) -> None:
    servers, done = Servers(), threading.Event()

    def cells():
        yield from range(3)
        done.wait(TIMEOUT)
        yield 3

    lives = [Life(i, servers, cells(), 4) for i in range(2)]
    until(lambda: all(len(life.acknowledged) >= 3 or life.failure for life in lives))
    endpoints = servers.endpoints[:1] if "endpoints" in says else servers.endpoints
    if told.received:
        told = About(received={endpoint: told.received["all"] for endpoint in endpoints})
    with pytest.raises(Refused, match=says):
        Trainer(1, endpoints, told)
    done.set()
    check(servers, lives)
    refusals = [line for line in capfd.readouterr().err.splitlines() if says in line]
    assert len(refusals) == len(endpoints)  # one line at each server


def test_a_join_that_was_on_its_way_when_its_sender_died_does_not_displace_the_next_life() -> None:
    servers, job = Servers(), job_fingerprint(["the servers"])
    dead, alive = (Peer(servers.endpoints[0], 1) for _ in range(2))
    dead.hello(TIMEOUT)
    alive.hello(TIMEOUT)
    alive.join(2, job, NOTHING)
    with pytest.raises(Refused, match="another process has joined as trainer 1 since this one said hello"):
        dead.join(1, job, NOTHING)
    alive.enter(0)  # it is still the member
    for peer in (dead, alive):
        peer.leave(TIMEOUT)


def test_transpiled_programs_tell_how_many_trainers_there_are_and_what_they_receive() -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.layers.data("x", [4])
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(fluid.layers.fc(x, 1, param_attr="w", bias_attr="b")))
        transpiler = fluid.DistributeTranspiler()
        transpiler.transpile(0, pservers="127.0.0.1:6174,127.0.0.1:6175", trainers=7)
        for program in (transpiler.get_trainer_program(False), fluid.default_startup_program()):
            told = about(program)
            assert told.trainers == about(program.clone()).trainers == 7
            assert {name for names in told.received.values() for name in names} == {"b", "w"}


def test_a_host_whose_name_is_not_found_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_RESOLVING", 0.0)
    connection = Connection("no-such-host.invalid:6174")
    with pytest.raises(Unreachable, match="the server at no-such-host.invalid:6174 cannot be found"):
        connection.call(Message("hello"), 60, 5.0)
    connection.close()


def test_a_trainer_says_for_whom_it_waits(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(transport, "_TELL_AFTER", 0.0)
    connection, found = Connection("127.0.0.1:1"), ""

    def ask() -> None:
        with pytest.raises(Unreachable):
            connection.call(Message("hello"), TIMEOUT, 5.0)

    asking = threading.Thread(target=ask)
    asking.start()
    end = time.monotonic() + TIMEOUT
    while "waits for the server" not in (found := found + capfd.readouterr().err) and time.monotonic() < end:
        time.sleep(0.05)
    connection.close()
    asking.join(TIMEOUT)
    assert (found + capfd.readouterr().err).count("waits for the server at 127.0.0.1:1 (hello)") == 1
