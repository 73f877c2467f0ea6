"""Whatever happens to a loader, the loop hears of it soon and no thread, process or shared memory stays."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import traceback

import numpy as np
import pytest
from tests import leftovers

from paddle import fluid
from refluid.data.loading.data_loader import DataLoader
from refluid.data.loading.dataset import Dataset
from refluid.data.loading.process import WorkerError

CPU = [fluid.CPUPlace()]
BIG = 50_000  # numbers in a batch: enough for shared memory


@pytest.fixture(autouse=True)
def nothing_stays():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        before = leftovers.present()
        yield
    assert not leftovers.new_since(before)


class Numbers(Dataset):
    def __init__(self, count=20, fails_at=None, before=lambda i: None):
        self.count, self.before, self.fails_at = count, before, fails_at

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        self.before(i)
        if i == self.fails_at:
            raise KeyError("the disk is gone")
        return (np.full(BIG, i, "float32"),)


def generated(**settings):
    """A loader of a generator with the faults of a Numbers."""

    def make(numbers):
        x = fluid.layers.data("x", [BIG])
        loader = DataLoader.from_generator([x], capacity=2, **settings)
        return loader.set_batch_generator(lambda: ([numbers[i][0][None]] for i in range(len(numbers))), places=CPU)

    return make


def mapped(**settings):
    def make(numbers):
        x = fluid.layers.data("x", [BIG])
        return DataLoader(numbers, feed_list=[x], places=CPU, **settings)

    return make


IN_THREADS = {"generator": generated(), "data set": mapped()}
IN_PROCESSES = {
    "generator, process": generated(use_multiprocess=True),
    "data set, 2 workers": mapped(num_workers=2),
    "data set, 2 workers, no shared memory": mapped(num_workers=2, use_shared_memory=False),
}
ALL = IN_THREADS | IN_PROCESSES | {"data set, no thread": mapped(use_buffer_reader=False)}
every_loader = pytest.mark.parametrize("make", ALL.values(), ids=ALL)
every_process = pytest.mark.parametrize("make", IN_PROCESSES.values(), ids=IN_PROCESSES)


def values(loader):
    return [int(np.array(item[0]["x"])[0, 0]) for item in loader]


@every_loader
def test_everything_arrives_in_order(make):
    loader = make(Numbers())
    assert values(loader) == values(loader) == list(range(20))


@every_loader
def test_an_exception_arrives_with_its_traceback(make):
    started = time.monotonic()
    with pytest.raises(KeyError, match="the disk is gone") as caught:
        values(make(Numbers(fails_at=3)))
    assert time.monotonic() - started < 3  # the starting of processes on a busy machine included
    assert "in __getitem__" in "".join(traceback.format_exception(caught.value))


@every_loader
def test_breaking_out_of_the_loop(make):
    loader = make(Numbers())
    for item in loader:
        assert np.array(item[0]["x"])[0, 0] == 0
        break
    del item
    assert not leftovers.present()["processes"]
    assert values(loader) == list(range(20))


@every_loader
def test_an_iterator_that_is_forgotten(make):
    iterator = iter(make(Numbers()))
    next(iterator)
    del iterator


@every_loader
def test_an_iterator_in_a_cycle(make):
    holder = [iter(make(Numbers()))]
    holder.append(holder)
    next(holder[0])
    del holder


@every_process
def test_a_killed_worker_is_an_error(make):
    def die(i):
        if i == 5:
            os.kill(os.getpid(), signal.SIGKILL)

    started = time.monotonic()
    with pytest.raises(WorkerError, match="died with exit code -9"):
        values(make(Numbers(before=die)))
    assert time.monotonic() - started < 2


def test_a_worker_killed_while_another_is_slow():
    def slow_or_dead(i):
        if i == 0:
            time.sleep(20)
        if i == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    started = time.monotonic()
    with pytest.raises(WorkerError, match="died with exit code -9"):
        values(mapped(num_workers=2)(Numbers(before=slow_or_dead)))
    assert time.monotonic() - started < 3


@every_process
def test_a_worker_that_exits_is_an_error(make):
    with pytest.raises(WorkerError, match="died with exit code 7"):
        values(make(Numbers(before=lambda i: os._exit(7))))


def test_an_exception_that_cannot_be_pickled():
    class Local(Exception):
        pass

    def fail(i):
        raise Local("only here")

    with pytest.raises(WorkerError, match="Local: only here"):
        values(mapped(num_workers=1)(Numbers(before=fail)))


def test_waiting_too_long_is_an_error():
    with pytest.raises(WorkerError, match=r"no batch came within timeout=0\.2 seconds"):
        values(mapped(num_workers=1, timeout=0.2)(Numbers(before=lambda i: time.sleep(10))))


def test_a_thousand_epochs_in_threads():
    loader = generated()(Numbers(2))
    for _ in range(1000):
        assert values(loader) == [0, 1]


def test_a_thousand_epochs_in_processes():
    """A process is forked anew for every epoch; one worker and one sample are what a test can afford."""
    loader = mapped(num_workers=1)(Numbers(1))
    for _ in range(1000):
        assert values(loader) == [0]


def test_many_epochs_with_two_workers():
    loader = mapped(num_workers=2)(Numbers(2))
    for _ in range(30):
        assert values(loader) == [0, 1]


def test_a_thousand_resets_in_the_middle():
    x = fluid.layers.data("x", [4])
    total, exe = fluid.layers.reduce_sum(x), fluid.Executor(CPU[0])
    loader = DataLoader.from_generator([x], capacity=2, iterable=False)
    loader.set_batch_generator(lambda: ([np.full((1, 4), i, "float32")] for i in range(100)))
    for _ in range(1000):
        loader.start()
        assert exe.run(fetch_list=[total])[0][0] == 0
        assert exe.run(fetch_list=[total])[0][0] == 4
        loader.reset()


def test_a_program_dropped_while_its_reader_runs():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.layers.data("x", [4])
        loader = DataLoader.from_generator([x], capacity=2, iterable=False)
        loader.set_batch_generator(lambda: ([np.zeros((1, 4), "float32")] for _ in range(100)))
        loader.start()


def test_arrays_outlive_their_worker():
    items = [np.array(item[0]["x"], copy=False) for item in mapped(num_workers=2)(Numbers(6))]
    assert [int(array[0, -1]) for array in items] == list(range(6))
    items[0][:] = 7  # and may be written to


def run(code):
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    return done, time.monotonic() - started


@pytest.mark.parametrize("how", ["iterable=True", "iterable=True, use_multiprocess=True"])
@pytest.mark.parametrize("end", ["pass", "raise SystemExit(0)"])
def test_the_interpreter_exits_while_a_loader_runs(how, end):
    done, _ = run(f"""
        import numpy as np
        from paddle import fluid
        from refluid.data.loading.data_loader import DataLoader
        x = fluid.layers.data("x", [1000])
        loader = DataLoader.from_generator([x], capacity=4, {how})
        def endless():
            while True:
                yield [np.random.rand(10, 1000).astype("float32")]
        loader.set_batch_generator(endless, places=fluid.cpu_places(1))
        items = iter(loader)
        next(items)
        {end}
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_workers_end_when_their_parent_is_killed():
    done, _ = run("""
        import os, signal
        from refluid.data.loading.process import Worker
        workers = [Worker(lambda wire: wire.receive(), "test") for _ in range(2)]
        print(*(worker.process.pid for worker in workers), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    workers = [int(pid) for pid in done.stdout.split()]
    deadline = time.monotonic() + 5
    while any(alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(workers) == 2 and not any(alive(pid) for pid in workers)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split()[2] != "Z"
    except FileNotFoundError:
        return False
