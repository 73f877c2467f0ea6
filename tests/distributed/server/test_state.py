"""The state folder of a server: whose it is, what it gives back, and what it says of damage."""

import errno
import os

import pytest

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.state import store
from refluid.distributed.server.state.errors import StateDamaged, StateRefused
from refluid.distributed.server.state.folder import StateFolder
from refluid.distributed.server.state.sealed import Seal, opened as sealed_opened

HERE = "127.0.0.1:6174"
MARK = b"a record that a test can find in the file" * 300


def opened(root, fingerprint="job", endpoint=HERE, **options):
    return StateFolder(str(root), fingerprint, endpoint, **options)


def kept(root, *records):
    state = opened(root)
    state.write_snapshot([("w", [b"12"]), ("é", [b""])])
    for one in records:
        state.append(one)
    state.close()
    return state.path


def change(path, what, to):
    data = content(path)
    assert what in data
    (path / "data.mdb").write_bytes(data.replace(what, to))


def content(path):
    """What is used of the file, which is as long as its map."""
    with open(path / "data.mdb", "rb") as file:
        return file.read(8 << 20).rstrip(b"\0")


@pytest.mark.parametrize("sync", [False, True])
def test_a_state_gives_back_its_snapshot_and_the_log_since(tmp_path, sync):
    state = opened(tmp_path, sync=sync)
    assert not state.has_snapshot and list(state.snapshot()) == [] and list(state.log()) == []
    state.write_snapshot([("old", [b"0"])])
    state.append(b"before")
    state.write_snapshot([("w", [b"1", b"2"]), ("é", [])])
    state.append(b"o", b"ne")
    state.append(b"")
    state.append(MARK)
    state.close()
    again = opened(tmp_path)
    assert list(again.snapshot()) == [("w", b"12"), ("é", b"")]
    assert list(again.log()) == [b"one", b"", MARK]
    again.append(b"two")
    assert list(again.log())[-1] == b"two"
    again.close()


def test_a_log_of_hundreds_of_records_keeps_their_order(tmp_path):
    kept(tmp_path, *(str(i).encode() for i in range(700)))
    state = opened(tmp_path)
    assert [int(one) for one in state.log()] == list(range(700))
    assert state.log_bytes >= sum(len(str(i)) for i in range(700))
    state.write_snapshot([])
    assert list(state.log()) == [] and state.log_bytes == 0
    state.close()


def test_the_space_of_former_snapshots_is_used_again(tmp_path):
    state = opened(tmp_path)
    for _ in range(30):
        state.write_snapshot([(str(i), [os.urandom(1 << 18)]) for i in range(4)])
        state.append(os.urandom(1 << 18))
    state.close()
    assert (state.path / "data.mdb").stat().st_blocks * 512 < 21 << 20  # two snapshots and a log, not thirty; and room


def test_a_state_outgrows_its_map(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_MAP", 4 << 20)
    records = [os.urandom(3 << 20) for _ in range(5)]
    kept(tmp_path, *records)
    state = opened(tmp_path)
    assert list(state.log()) == records
    state.close()


def test_a_disk_that_has_no_room_is_told_and_what_was_kept_is_there(tmp_path, monkeypatch):
    def full(*about):
        raise OSError(errno.ENOSPC, "No space left on device")

    state = opened(tmp_path)
    state.write_snapshot([("w", [b"12"])])
    state.append(b"one")
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        with pytest.raises(EnforceNotMet, match=r"needs \d{8} bytes on its disk: No space left on device"):
            state.append(os.urandom(16 << 20))
    state.append(b"two")
    assert list(state.log()) == [b"one", b"two"]
    state.close()


def test_a_log_needs_a_snapshot_to_begin_with(tmp_path):
    state = opened(tmp_path)
    with pytest.raises(StateRefused, match="there is no snapshot yet that a record could follow"):
        state.append(b"one")
    state.close()


def test_servers_of_one_job_share_a_folder(tmp_path):
    kept(tmp_path, b"one")
    other = opened(tmp_path, endpoint="127.0.0.1:6175")
    assert not other.has_snapshot
    other.close()


def test_unfinished_state_of_another_job_is_refused_with_a_word(tmp_path):
    path = kept(tmp_path, b"one")
    with pytest.raises(StateRefused, match="holds the state of another job that has not finished at 127.0.0.1:6174"):
        opened(tmp_path, "another job")
    assert path.exists()
    state = opened(tmp_path)
    assert list(state.log()) == [b"one"]
    state.close()


@pytest.mark.parametrize("fingerprint", ["job", "another job"])
def test_a_finished_state_is_started_over(tmp_path, fingerprint):
    kept(tmp_path, b"one")
    state = opened(tmp_path)
    state.finish()
    again = opened(tmp_path, fingerprint)
    assert not again.has_snapshot and list(again.log()) == []
    again.close()


def test_a_state_that_a_process_is_using_is_refused(tmp_path):
    state = opened(tmp_path)
    with pytest.raises(StateRefused, match="another process is using the state of 127.0.0.1:6174"):
        opened(tmp_path)
    state.close()
    opened(tmp_path).close()


def test_a_refused_folder_is_not_kept_locked(tmp_path):
    kept(tmp_path)
    for _ in range(2):
        with pytest.raises(StateRefused, match="another job"):
            opened(tmp_path, "another job")


def test_a_damaged_record_is_told(tmp_path):
    change(kept(tmp_path, b"one", MARK, b"three"), MARK[:41], b"b" + MARK[1:41])
    state = opened(tmp_path)
    log = state.log()
    assert next(log) == b"one"
    with pytest.raises(StateDamaged, match="damaged: its checksum is not that of its 12300 bytes"):
        next(log)
    state.close()


@pytest.mark.parametrize("size", [0, 5, 8, 4096, 100_003])
def test_seals_tell_bytes_that_change_or_change_places(size):
    data = bytearray(os.urandom(size))
    made = Seal()
    made.add(data)
    sealed = memoryview(bytes(made))
    assert sealed_opened([memoryview(data)], sealed, "it") == data
    changed = [data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :] for at in {0, size // 2, size - 1} if size]
    if size > 8192:
        changed += [data[4096:8192] + data[:4096] + data[8192:], bytes(4096) + data[4096:]]
    for one in changed:
        with pytest.raises(StateDamaged, match="it is damaged: its checksum is not that of its"):
            sealed_opened([memoryview(one)], sealed, "it")


def test_a_length_that_a_damaged_record_states_is_not_believed(tmp_path):
    path = kept(tmp_path, MARK)
    data = content(path)
    told = len(MARK).to_bytes(8, "little")
    assert data.count(told) >= 1
    (path / "data.mdb").write_bytes(data.replace(told, (2**60).to_bytes(8, "little")))
    state = opened(tmp_path)
    with pytest.raises(StateDamaged, match=f"its seal says {2**60} bytes, but there are 12300"):
        list(state.log())
    state.close()


def test_a_record_or_piece_that_is_missing_is_told(tmp_path):
    state = opened(tmp_path)
    state.write_snapshot([("a", [b"1"]), ("b", [b"2"]), ("c", [b"3"])])
    for one in (b"1", b"2", b"3"):
        state.append(one)
    pieces, records = (state._store.sizes(kind) for kind in (b"p", b"r"))
    state._store.delete([pieces[1][0], records[1][0]])
    with pytest.raises(StateDamaged, match="piece 1 of the snapshot, b, is missing"):
        list(state.snapshot())
    with pytest.raises(StateDamaged, match="record 1 of the log is missing"):
        list(state.log())
    state.close()


@pytest.mark.parametrize("left", [0.0, 0.3, 0.5, 0.9])
def test_a_file_that_was_cut_does_not_end_the_process(tmp_path, left):
    """Whatever is left, a server starts with the whole state, starts afresh, or says that it is damaged."""
    path = kept(tmp_path, os.urandom(100_000), os.urandom(100_000))
    file = path / "data.mdb"
    whole = len(content(path))
    os.truncate(file, int(whole * left))
    try:
        state = opened(tmp_path)
    except EnforceNotMet as error:
        assert str(path) in str(error)
        return
    if state.has_snapshot:
        with pytest.raises(EnforceNotMet, match="damaged"):
            list(state.snapshot()), list(state.log())
    state.close()


def test_a_file_of_another_kind_is_told(tmp_path):
    path = kept(tmp_path)
    (path / "data.mdb").write_bytes(b"not a database at all" * 1000)
    with pytest.raises(StateDamaged, match="is damaged"):
        opened(tmp_path)
