"""InMemoryDataset.global_shuffle among several processes."""

import multiprocessing
import socket
import struct
import threading
import time
from itertools import chain

import numpy as np
import pytest

from paddle import fluid
from refluid.core.errors import EnforceNotMet
from refluid.data.ctr import exchange
from refluid.data.ctr.dataset import DatasetFactory
from refluid.data.ctr.packing import pack, unpack
from refluid.data.ctr.slots import Instance, Marks, Slot

FORK = multiprocessing.get_context("fork")
SLOTS = [Slot("words", "uint64", False, (-1, 1)), Slot("label", "float", True, (-1, 1))]
LINES = 50


class Fleet:
    def __init__(self, index, endpoints):
        self.index, self.endpoints = index, endpoints

    def worker_num(self):
        return len(self.endpoints)

    def worker_index(self):
        return self.index

    def worker_endpoints(self):
        return self.endpoints


def free_endpoints(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    return found


def dataset(path):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        use = [fluid.data("words", [None, 1], "int64", lod_level=1), fluid.data("label", [None, 1], "float32")]
    made = DatasetFactory().create_dataset("InMemoryDataset")
    made.set_use_var(use)
    made.set_filelist([str(path)])
    made.load_into_memory()
    return made


def labels(made):
    return [float(np.array(feed["label"])[0, 0]) for feed in made.feeds()]


def run(count, work):
    """work(index, fleet) in `count` processes; what they returned, in order. Never longer than half a minute."""
    endpoints, ends = free_endpoints(count), []
    for index in range(count):
        here, there = FORK.Pipe()
        process = FORK.Process(target=lambda i=index, end=there: end.send(work(i, Fleet(i, endpoints))), daemon=True)
        process.start()
        there.close()
        ends.append((process, here))
    try:
        found = []
        for _, here in ends:
            assert here.poll(30), "a process does not answer"
            found.append(here.recv())
        return found
    finally:
        for process, _ in ends:
            process.kill()
            process.join()


@pytest.mark.parametrize("count", [2, 3])
def test_records_are_dealt_out_anew_and_none_is_lost(tmp_path, count):
    for worker in range(count):
        lines = (f"{1 + i % 3} " + " ".join(["7"] * (1 + i % 3)) + f" 1 {worker * LINES + i}\n" for i in range(LINES))
        (tmp_path / str(worker)).write_text("".join(lines))

    def work(index, fleet):
        np.random.seed(index)
        made = dataset(tmp_path / str(index))
        made.global_shuffle(fleet)
        sizes = made.get_memory_data_size(fleet), made.get_shuffle_data_size(fleet), made.get_memory_data_size()
        words = [feed["words"].recursive_sequence_lengths()[0][0] for feed in made.feeds()]
        return labels(made), words, sizes

    found = run(count, work)
    shares = [share for share, _, _ in found]
    assert sorted(chain.from_iterable(shares)) == list(range(count * LINES))
    assert max(map(len, shares)) - min(map(len, shares)) <= count
    for share, words, (everywhere, shuffled, here) in found:
        assert (everywhere, shuffled, here) == (count * LINES, count * LINES, len(share))
        assert len({int(label) // LINES for label in share}) == count  # some from everybody
        assert share != sorted(share)
        assert words == [1 + int(label) % LINES % 3 for label in share]  # an instance stays whole


def test_without_a_fleet_or_with_one_of_one_it_is_a_local_shuffle(tmp_path):
    (tmp_path / "a").write_text("".join(f"1 7 1 {i}\n" for i in range(LINES)))
    orders = []
    for fleet in (None, Fleet(0, ["127.0.0.1:1"])):
        np.random.seed(0)
        made = dataset(tmp_path / "a")
        made.global_shuffle(fleet)
        orders.append(labels(made))
    assert orders[0] == orders[1] != sorted(orders[0]) and sorted(orders[0]) == list(range(LINES))


def test_a_process_that_does_not_come_is_named_in_time(monkeypatch):
    monkeypatch.setattr(exchange, "WAIT_SECONDS", 0.3)
    endpoints = free_endpoints(2)
    for index, absent in ((0, 1), (1, 0)):
        start = time.monotonic()
        with pytest.raises(EnforceNotMet, match=rf"no message from worker {absent} \({endpoints[absent]}\) within 0.3"):
            exchange.exchange([b"", b""], index, endpoints)
        assert time.monotonic() - start < 3


def test_a_process_that_dies_is_an_error_for_the_others():
    endpoints = free_endpoints(2)

    def die():
        connection = exchange._call(endpoints[0], 0, exchange.mark_of(endpoints), 1, time.monotonic() + 10)
        connection.close()

    thread = threading.Thread(target=die)
    thread.start()
    with pytest.raises(EnforceNotMet, match="worker 1 at .* went away"):
        exchange.exchange([b"x", b"x" * 10_000_000], 0, endpoints)
    thread.join()


def test_strangers_are_turned_away():
    endpoints = free_endpoints(2)
    found = []
    thread = threading.Thread(target=lambda: found.append(exchange.exchange([b"a", b"b"], 0, endpoints)))
    thread.start()
    host, port = endpoints[0].split(":")
    with retried(lambda: socket.create_connection((host, int(port)))) as stranger:
        stranger.sendall(struct.pack("<16sI", b"another fleet", 1))
    assert exchange.exchange([b"c", b"d"], 1, endpoints) == [b"b", b"d"]
    thread.join(10)
    assert found == [[b"a", b"c"]]


def retried(call):
    for _ in range(200):
        try:
            return call()
        except ConnectionRefusedError:
            time.sleep(0.02)
    raise AssertionError("nobody listens")


def test_an_endpoint_that_is_taken_or_wrong_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        endpoint = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(EnforceNotMet, match=f"worker 0 cannot listen on {endpoint}"):
            exchange.exchange([b"", b""], 0, [endpoint, "127.0.0.1:1"])
    with pytest.raises(EnforceNotMet, match="an endpoint is \"host:port\", got 'nowhere'"):
        exchange.exchange([b"", b""], 0, ["nowhere", "127.0.0.1:1"])


def test_instances_travel_unchanged():
    instances = [
        Instance([np.array([1, -2, 3], np.int64), np.array([0.5], np.float32)]),
        Instance([np.array([4], np.int64), np.array([1.5, 2.5], np.float32)]),
    ]
    instances[1].marks = Marks(b"id", log_key=b"key")
    back = unpack(pack(instances, SLOTS), SLOTS)
    assert [[v.tolist() for v in one] for one in back] == [[[1, -2, 3], [0.5]], [[4], [1.5, 2.5]]]
    assert [one.marks for one in back] == [Marks(), Marks(b"id", b"", b"key")]
    assert [v.dtype for v in back[0]] == [np.int64, np.float32] and back[0][0].flags.writeable
    assert unpack(pack([], SLOTS), SLOTS) == []
    with pytest.raises(EnforceNotMet, match="do all workers use the same variables"):
        unpack(pack(instances, SLOTS), SLOTS[::-1])
    with pytest.raises(EnforceNotMet, match="instances announced, but 8 bytes arrived"):
        unpack(struct.pack("<Q", 10**15), SLOTS)
