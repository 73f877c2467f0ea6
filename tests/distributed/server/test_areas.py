"""Large messages between processes of one host lie in memory that both share."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable

import pytest
import torch

from refluid.distributed.server import areas
from refluid.distributed.server.areas import Area, Areas, OpenedAreas, Unshared
from refluid.distributed.server.transport import Connection, Refused
from refluid.distributed.server.wire import Message, decode, encode
from tests.distributed.server.test_transport import echo, listening, request

LARGE = 50_000  # elements
MOST = 1 << 24


def sizes_sent(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Bytes of every request and answer that pass through the socket from now on."""
    found: list[tuple[int, int]] = []
    sent = connection._sent

    def noted(message: Message, data: bytes, attempt: float | None) -> bytes:
        answer = sent(message, data, attempt)
        found.append((len(data), len(answer)))
        return answer

    monkeypatch.setattr(connection, "_sent", noted)
    return found


def test_large_requests_do_not_pass_through_the_socket_nor_do_their_answers_once_their_size_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with listening(echo, most=MOST) as (connection, _):
        sizes = sizes_sent(connection, monkeypatch)
        for step in range(3):
            given = torch.arange(LARGE) + step
            assert torch.equal(connection.call(request({"t": given}), 60).values["t"], given)
        assert [sent < 1000 for sent, _ in sizes] == [True, True, True]
        assert [answered < 1000 for _, answered in sizes] == [False, True, True]


def test_small_messages_pass_through_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(echo) as (connection, _):
        monkeypatch.setattr(areas, "Area", None)
        assert connection.call(request({"t": torch.ones(9)}), 60).values["t"].sum() == 9


def test_an_answer_stays_as_it_came_while_others_come() -> None:
    with listening(echo, most=MOST) as (connection, _):
        kept = [connection.call(request({"t": torch.full([LARGE], step)}), 60).values["t"] for step in range(40)]
        assert [(int(t.min()), int(t.max())) for t in kept] == [(step, step) for step in range(40)]


def test_an_area_is_used_again_when_nobody_has_its_answer_any_more() -> None:
    with listening(echo, most=MOST) as (connection, _):
        for step in range(30):
            answer = connection.call(request({"t": torch.full([LARGE], step)}), 60)
            assert int(answer.values["t"].max()) == step
        assert connection._areas is not None and len(connection._areas._made) <= 3


def test_what_a_server_keeps_of_a_request_is_a_copy() -> None:
    kept: list[torch.Tensor] = []

    def keep(message: Message) -> Message:
        value = message.values["t"]
        assert isinstance(value, torch.Tensor)
        kept.append(value)
        return Message("kept")

    with listening(keep, most=MOST) as (connection, _):
        for step in range(4):
            connection.call(request({"t": torch.full([LARGE], step)}), 60)
    assert [int(t.max()) for t in kept] == [0, 1, 2, 3]


def test_an_area_whose_request_has_failed_is_not_used_again() -> None:
    with listening(echo, most=MOST) as (connection, _):
        used = connection._areas
        assert used is not None
        failed = used.packed(request({"t": torch.zeros(LARGE)})).area  # and nobody opens an answer to it
        for _ in range(3):
            connection.call(request({"t": torch.zeros(LARGE)}), 60)
        assert failed in used._made and failed not in used._free["x"] and len(used._made) > 1


def test_where_memory_cannot_be_reached_messages_pass_through_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(path: str, name: str) -> bool:
        return False

    monkeypatch.setattr(areas, "_is_there", unreachable)
    with listening(echo, most=MOST) as (connection, said):
        for _ in range(2):
            assert connection.call(request({"t": torch.ones(LARGE)}), 60).values["t"].sum() == LARGE
    assert len(said) == 1 and "cannot be reached" in said[0]


def test_a_note_that_comes_by_the_port_is_refused() -> None:
    with listening(echo, most=MOST) as (connection, _):
        connection._path = None
        connection._open()
        note = Area(100, 100).note(10)
        answer = decode(connection._sent(request(), encode(note), 60))
    assert answer.fields["code"] == "shared"


def opened(change: Callable[[Message], None], area: Area, most: int = MOST) -> Message:
    data = encode(Message("x", {"a": 1}))
    area.memory[: len(data)] = data
    note = area.note(len(data))
    change(note)
    return OpenedAreas(most).request(note)[0]


def test_a_note_leads_to_its_message() -> None:
    assert opened(lambda note: None, Area(1000, 0)).fields == {"a": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"length": 1 << 40}, {"length": -1}, {"length": True}, {"length": "10"}, {"answer_at": 1 << 40}, {"process": 0},
        {"file": 0}, {"file": 1 << 70}, {"name": "refluid-" + "0" * 32}, {"name": "../../etc"}, {"name": None},
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_note_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Unshared):
        opened(lambda note: note.fields.update(wrong), Area(1000, 1000))


def test_a_note_of_more_than_a_server_takes_is_refused() -> None:
    with pytest.raises(Unshared, match="too many"):
        opened(lambda note: None, Area(1000, 1000), most=10)


def test_memory_that_could_shrink_under_a_server_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(areas.fcntl, "F_SEAL_SHRINK", 0)
    area = Area(1000, 1000)
    monkeypatch.undo()
    with pytest.raises(Unshared, match="may shrink"):
        opened(lambda note: None, area)


def test_a_server_lets_go_of_areas_that_their_trainer_has_given_up() -> None:
    server, data = OpenedAreas(MOST), encode(Message("x"))
    area = kept = Area(1000, 1000)
    for _ in range(3):
        area.memory[: len(data)] = data
        server.request(area.note(len(data)))
        area = Area(1000, 1000)
        gc.collect()
    assert {name for _, name in server._memory} >= {kept.name} and len(server._memory) == 2


def test_without_memory_for_an_area_a_request_goes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(*size: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", lacks)
    message = request({"t": torch.ones(LARGE)})
    parcel = Areas().packed(message)
    assert parcel.area is None and parcel.data == encode(message)


def test_a_refusal_comes_back_from_a_large_request() -> None:
    def refuse(message: Message) -> Message:
        raise Refused("no", "not today")

    with listening(refuse, most=MOST) as (connection, _):
        for _ in range(20):
            with pytest.raises(Refused, match="not today"):
                connection.call(request({"t": torch.ones(LARGE)}), 60)
        assert connection._areas is not None and len(connection._areas._made) == 1
