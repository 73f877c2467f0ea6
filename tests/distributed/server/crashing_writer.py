"""A small server without network, run as a process of its own: it is killed at crash points and started again.

Its parameter is a vector; record `step` adds a number to each cell that no other record adds, so that the vector tells
which records were applied. argv: a folder, and JSON with a list of schedules; a schedule is a list of crash points, one
for each start. Prints for every schedule what each start saw: the vector after replay, and the steps it acknowledged.
"""

import json
import os
import signal
import sys

import numpy as np

from refluid.distributed.server.state.folder import StateFolder

STEPS, WIDTH, EVERY = 11, 50_000, 4


def record(step):
    return np.full(WIDTH, 2.0**step)


def pieces(done, vector):
    half = WIDTH // 2
    return [("done", [str(done).encode()]), ("a", [vector[:half].tobytes()]), ("b", [vector[half:].tobytes()])]


def restore(state):
    kept = dict(state.snapshot())
    vector = np.concatenate([np.frombuffer(kept["a"]), np.frombuffer(kept["b"])])
    done = int(kept["done"])
    for data in state.log():
        vector, done = vector + np.frombuffer(data), done + 1
    return done, vector


def serve(root, tell):
    state = StateFolder(root, "job", "127.0.0.1:6174")
    if state.has_snapshot:
        done, vector = restore(state)
    else:
        done, vector = 0, np.zeros(WIDTH)
        state.write_snapshot(pieces(done, vector))
    assert (vector == vector[0]).all()
    tell(["began", done, int(vector[0])])
    for step in range(done, STEPS):
        state.append(record(step).tobytes())
        vector = vector + record(step)
        tell(["acknowledged", step])
        if (step + 1) % EVERY == 0:
            state.write_snapshot(pieces(step + 1, vector))
    state.finish()
    tell(["finished", int(vector[0])])


def start(root, point):
    """Run `serve` in a child that is killed at `point`; what it told, and how it ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.environ["REFLUID_CRASH_AT"] = point
        code = 1
        try:
            serve(root, lambda what: os.write(writer, (json.dumps(what) + "\n").encode()))
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as told:
        lines = [json.loads(line) for line in told]
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return {"told": lines, "end": "killed" if killed else os.waitstatus_to_exitcode(status)}


if __name__ == "__main__":
    folder, schedules = sys.argv[1], json.loads(sys.argv[2])
    runs = [[start(os.path.join(folder, str(i)), p) for p in schedule] for i, schedule in enumerate(schedules)]
    print(json.dumps(runs))
