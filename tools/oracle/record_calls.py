"""Write tests/fixtures/calls/<subject>.json from Fluid 1.8.5: python tools/oracle/record_calls.py [subject ...]

Calls run in processes of their own: some end Fluid by a signal, which is recorded as {"crashes": signal}.
"""

import importlib
import json
import multiprocessing
import os
import sys

from arrays import write

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "..", "..", "tests", "fixtures", "calls")
LIMIT = 20  # seconds


def subjects():
    names = sorted(name[:-3] for name in os.listdir(os.path.join(HERE, "calls")) if name.endswith(".py"))
    return [name for name in names if name not in ("table", "__init__")]


def send(pipe, runs):
    for run in runs:
        pipe.send(json.dumps(run()))


def record(cases):
    """{key: outcome}: the cases run one after the other in a process; a new one goes on behind a case that ends it."""
    keys, recorded = list(cases), {}
    while len(recorded) < len(keys):
        left = keys[len(recorded) :]
        ours, theirs = multiprocessing.Pipe(duplex=False)
        runs = [cases[key]["run"] for key in left]
        process = multiprocessing.get_context("fork").Process(target=send, args=(theirs, runs))
        process.start()
        theirs.close()
        for key in left:
            try:
                recorded[key] = json.loads(ours.recv()) if ours.poll(LIMIT) else {"hangs": LIMIT}
            except EOFError:
                process.join()
                recorded[key] = {"crashes": process.exitcode}
            if "crashes" in recorded[key] or "hangs" in recorded[key]:
                break
        process.kill()
        process.join()
    return recorded


def together(cases):
    """The cases in lots that may share a process: an exception in the imperative mode leaves 1.8.5 in it."""
    static = {key: case for key, case in cases.items() if key.startswith("static: ")}
    return [static] + [{key: case} for key, case in cases.items() if key not in static]


def main():
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # stacks of Fluid's exceptions
    os.makedirs(TARGET, exist_ok=True)
    for subject in sys.argv[1:] or subjects():
        calls = importlib.import_module("calls." + subject).calls
        outcomes = {}
        for lot in together(calls.cases):
            outcomes.update(record(lot))
        write(os.path.join(TARGET, subject + ".json"), {key: outcomes[key] for key in calls.cases})
        print(subject, len(outcomes), "calls recorded")


if __name__ == "__main__":
    main()
