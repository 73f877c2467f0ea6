"""Write tests/fixtures/calls/<subject>.json from Fluid 1.8.5: python tools/oracle/record_calls.py [subject ...]

Every call runs in a process of its own: some end Fluid by a signal, which is recorded as {"crashes": signal}.
"""

import importlib
import json
import multiprocessing
import os
import sys

from arrays import write

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "..", "..", "tests", "fixtures", "calls")
LIMIT = 60  # seconds


def subjects():
    names = sorted(name[:-3] for name in os.listdir(os.path.join(HERE, "calls")) if name.endswith(".py"))
    return [name for name in names if name not in ("table", "__init__")]


def record(run):
    ours, theirs = multiprocessing.Pipe(duplex=False)

    def child():
        theirs.send(json.dumps(run()))

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    theirs.close()
    process.join(0)
    try:
        found = json.loads(ours.recv()) if ours.poll(LIMIT) else {"hangs": LIMIT}
    except EOFError:
        found = None
    if process.is_alive():
        process.join(5)
        process.terminate()
    process.join()
    return {"crashes": process.exitcode} if found is None else found


def main():
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # stacks of Fluid's exceptions
    os.makedirs(TARGET, exist_ok=True)
    for subject in sys.argv[1:] or subjects():
        calls = importlib.import_module("calls." + subject).calls
        recorded = {}
        for key, case in calls.cases.items():
            recorded[key] = record(case["run"])
        write(os.path.join(TARGET, subject + ".json"), recorded)
        print(subject, len(recorded), "calls recorded")


if __name__ == "__main__":
    main()
