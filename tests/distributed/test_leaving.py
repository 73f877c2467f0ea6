"""Processes end cleanly: no thread of the watcher is inside torch while Python ends."""

from tests.distributed.ranks import run


def test_many_short_jobs_end_without_a_word(tmp_path):
    script = """
import threading
import torch
from refluid.distributed.ring import Ring
from refluid.distributed.world import join_from_environment
world = join_from_environment("test")
Ring(world).barrier()
world.leave()
print([thread.name for thread in threading.enumerate() if thread.name.startswith("refluid")])
"""
    for _ in range(3):
        for one in run(tmp_path, script):
            assert (one.out, one.err) == ("[]\n", "")
