"""How long training stands still after a death: jobs of server_faults.py, timed from the moment that counts."""

import atexit
import contextlib
import time

import server_faults

SHAPE, STEPS = [100, 100], 100_000


def _job(state):
    kept = contextlib.ExitStack()
    job = server_faults.Job(kept.enter_context(server_faults.folder()), SHAPE, STEPS, state)

    def end():
        for role, index in list(job.pids):
            job.kill(role, index)
        kept.close()

    atexit.register(end)
    job.step_after(job.step_after(0.0, 1))
    return job


def trainer_dies():
    """From a trainer's death to the other's next step."""
    job = _job(state=False)

    def step():
        job.kill("trainer", 1)
        time.sleep(0.5)  # a step that was under way is none
        job.step_after(time.monotonic())

    return step


def server_restarts():
    """From the moment that a restarted server listens to the next step."""
    job = _job(state=True)
    job.kill("server", 0)
    job.start("server", 0)
    there = job.listens(0)
    return lambda: job.step_after(there)
