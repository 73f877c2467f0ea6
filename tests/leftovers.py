"""What a test leaves behind: threads, processes, open files, shared memory.

Threads of earlier tests may end while a test runs, and other workers have shared memory of their own. So only what
was not there before counts, and only if it stays.
"""

import contextlib
import gc
import multiprocessing
import os
import threading
import time

LIBRARY_THREADS = {"tqdm_monitor"}  # one for a whole process, from the first progress bar on
LIBRARY_FILES = {"anon_inode:[eventfd]"}  # gRPC has a new one after a fork, once a test has had a server
_SOON = 10  # seconds


def threads():
    return {thread for thread in threading.enumerate() if thread.name not in LIBRARY_THREADS}


def present():
    """{kind: what there is of it}."""
    gc.collect()
    return {
        "threads": threads(),
        "processes": {process.pid for process in multiprocessing.active_children()},
        "files": set(_open_files()),
        "shared memory": set(os.listdir("/dev/shm")),
    }


def new_since(before):
    """What `present` tells now and did not before, by kind; nothing of it if all that goes soon."""
    end = time.monotonic() + _SOON
    while True:
        new = {kind: more for kind, found in present().items() if (more := found - before[kind])}
        if not new or time.monotonic() > end:
            return new
        time.sleep(0.01)


@contextlib.contextmanager
def no_new_thread():
    """Fails where what runs inside leaves a thread."""
    before = threads()
    yield
    end = time.monotonic() + _SOON
    while (more := threads() - before) and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    assert not more


def _open_files():
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the listing itself has one, which is closed by now
            if (what := os.readlink(f"/proc/self/fd/{number}")) not in LIBRARY_FILES:
                yield number, what
