"""Pushes of trainers that wait for nobody are applied once each, whatever is repeated."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import Any

import pytest
import torch

from refluid.distributed.server.arrivals import Arrivals
from refluid.distributed.server.journal import Journal
from refluid.distributed.server.members import Members
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Message
from tests.distributed.ranks import TIMEOUT


class Counting:
    """An update that counts, and lets tests wait in the middle of one."""

    def __init__(self) -> None:
        self.applied: list[tuple[int, float]] = []
        self.seen_by: list[tuple[int, list[str]]] = []
        self.delays = False
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.may_end.set()

    def __call__(self, number: int, gradients: dict[str, Any]) -> None:
        self.begun.set()
        self.may_end.wait(TIMEOUT)
        self.applied.append((number, gradients["g"].item()))

    def seen(self, number: int, names: list[str]) -> None:
        self.seen_by.append((number, names))

    def reading(self, name: str) -> Any:
        return nullcontext()


def arrivals(trainers: int = 2) -> tuple[Arrivals, Counting]:
    update = Counting()
    return Arrivals(Members(trainers, 60.0), update, lambda line: None), update


def gradient(value: float) -> dict[str, Any]:
    return {"g": torch.tensor(value)}


def joined(made: Arrivals, number: int, incarnation: int) -> str:
    member, _ = made.join(number, incarnation)
    made.enter(number, member.session, 0)
    return member.session


def test_a_repeated_push_is_answered_and_not_applied() -> None:
    made, update = arrivals()
    session = joined(made, 0, 1)
    for step in (0, 0, 1, 0, 1):
        made.push(0, session, step, gradient(step))
    assert update.applied == [(0, 0.0), (0, 1.0)]
    assert made.summary() == "2 steps"


def test_a_push_of_several_steps_counts_for_all_of_them() -> None:
    made, update = arrivals()
    session = joined(made, 0, 1)
    made.push(0, session, 3, gradient(4.0), first=0)
    made.push(0, session, 3, gradient(4.0), first=0)
    made.push(0, session, 4, gradient(1.0))
    assert update.applied == [(0, 4.0), (0, 1.0)] and made.summary() == "5 steps"
    with pytest.raises(Refused, match="sends steps 4 to 6, but 4 is applied"):
        made.push(0, session, 6, gradient(1.0), first=4)


def test_a_trainer_that_was_taken_for_dead_repeats_its_last_push(monkeypatch: pytest.MonkeyPatch) -> None:
    made, update = arrivals()
    session = joined(made, 0, 1)
    made.push(0, session, 0, gradient(1.0))
    monkeypatch.setenv("REFLUID_TRAINER_LEASE", "-1")  # all are silent
    made.expire()
    monkeypatch.delenv("REFLUID_TRAINER_LEASE")
    with pytest.raises(Refused, match="trainer 0 is no member"):
        made.push(0, session, 0, gradient(1.0))
    session = joined(made, 0, 1)
    made.push(0, session, 0, gradient(1.0))
    made.push(0, session, 1, gradient(2.0))
    assert update.applied == [(0, 1.0), (0, 2.0)]


def test_another_life_of_a_trainer_counts_from_the_beginning_and_the_old_one_is_refused() -> None:
    made, update = arrivals()
    old = joined(made, 0, 1)
    made.push(0, old, 5, gradient(1.0))
    new = joined(made, 0, 2)
    made.push(0, new, 0, gradient(2.0))
    with pytest.raises(Refused, match="another process has joined as trainer 0"):
        made.push(0, old, 6, gradient(3.0))
    assert update.applied == [(0, 1.0), (0, 2.0)]


def test_a_repeat_waits_for_the_push_that_is_being_applied_and_others_do_not() -> None:
    made, update = arrivals()
    sessions = [joined(made, number, 1) for number in range(2)]
    update.may_end.clear()
    threads = [threading.Thread(target=made.push, args=(0, sessions[0], 0, gradient(1.0))) for _ in range(2)]
    threads[0].start()
    assert update.begun.wait(TIMEOUT)
    threads[1].start()
    made.beat(0, sessions[0])  # nobody is declared dead meanwhile
    update.may_end.set()
    made.push(1, sessions[1], 0, gradient(2.0))
    for thread in threads:
        thread.join(TIMEOUT)
    assert sorted(update.applied) == [(0, 1.0), (1, 2.0)]


def test_what_is_kept_of_a_server_recognises_repeats() -> None:
    made, _ = arrivals()
    session = joined(made, 0, 1)
    made.push(0, session, 2, gradient(1.0), first=0)
    again, update = arrivals()
    again.restore(made.pieces())
    again.push(0, session, 2, gradient(1.0), first=0)
    again.push(0, session, 3, gradient(1.0))
    assert update.applied == [(0, 1.0)] and again.summary() == "4 steps"


class Remembering(Journal):
    def __init__(self) -> None:
        self.records: list[Message] = []

    def record(self, message: Message, settled: bool = True) -> Any:
        self.records.append(message)
        return nullcontext()


@pytest.mark.parametrize("delays", [True, False])
def test_what_trainers_have_seen_is_recorded_where_late_gradients_are_corrected(delays: bool) -> None:
    update, journal = Counting(), Remembering()
    update.delays = delays
    made = Arrivals(Members(2, 60.0), update, lambda line: None, journal)
    session = joined(made, 1, 1)
    made.push(1, session, 0, gradient(1.0))
    made.seen(1, ["w", "b"])
    again, known = arrivals()
    for record in journal.records:
        again.replay(record)
    assert update.seen_by == known.seen_by == ([(1, ["w", "b"])] if delays else [])


def test_an_update_that_fails_ends_the_server() -> None:
    made, update = arrivals()
    session = joined(made, 0, 1)
    with pytest.raises(Refused, match="the server's update failed"):
        made.push(0, session, 0, {})
    assert isinstance(made.failure, KeyError) and made.expire() and not update.applied
