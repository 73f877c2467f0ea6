"""Runs one work in the environment of the Python that starts it and prints one line of JSON.

    python worker.py mnist_fluid.static --seconds 2 --warm-up 1
    python worker.py resnet_fluid.build --once

Times are seconds, memory is bytes, `others` is how many cores the rest of the machine was using meanwhile.
This file runs on Python 3.8 too.
"""

import argparse
import importlib
import json
import os
import pkgutil
import statistics
import sys
import time

import numpy as np

FEWEST_STEPS = 5  # however slow a step is
FEWEST_WARM_UP_STEPS = 2


def status(field: str) -> int:
    """A memory figure of this process: VmRSS (resident now) or VmHWM (the most since the last reset)."""
    with open("/proc/self/status") as lines:
        for line in lines:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {field} in /proc/self/status")


def reset_peak() -> None:
    with open("/proc/self/clear_refs", "w") as control:
        control.write("5")


def others_seconds() -> float:
    """Processor time that everybody but this process has used since the machine started."""
    with open("/proc/stat") as lines:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, lines.readline().split()[1:9])
    busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return busy - time.process_time()


def run_for(step, seconds: float, fewest: int):
    """Call `step` for so many seconds; returns the time of every call and what the last one gave."""
    times = []
    result = None
    end = time.perf_counter() + seconds
    while len(times) < fewest or time.perf_counter() < end:
        start = time.perf_counter()
        result = step()
        times.append(time.perf_counter() - start)
    return times, result


def check(work: str, first, last) -> None:
    """A work that computes nonsense is not worth timing."""
    if not np.all(np.isfinite(last)):
        raise RuntimeError(f"{work}: the last step gave {last}")
    if np.size(last) == 1 and not float(np.ravel(last)[0]) < float(np.ravel(first)[0]):
        raise RuntimeError(f"{work}: does not train, the loss went from {first} to {last}")


def load_deferred() -> None:
    """Load what Refluid loads when it is first needed: code counts as import, not as training memory.

    The works in PyTorch import torch._dynamo for the same reason, which the first optimizer would load.
    """
    if "refluid" not in sys.modules:
        return
    importlib.import_module("paddle.fluid.optimizer")
    for folder in ("ops", "layers", "executor"):
        package = importlib.import_module("refluid." + folder)
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)


def measure(work: str, seconds: float, warm_up: float, once: bool) -> dict:
    module, function = work.split(".")
    make = getattr(importlib.import_module("workloads." + module), function)
    if not once:
        load_deferred()
    imported = status("VmRSS")
    reset_peak()
    step = make()

    others, start = others_seconds(), time.perf_counter()
    first = step()
    first_time = time.perf_counter() - start
    if once:
        return {"time": first_time, "others": (others_seconds() - others) / first_time}

    first = np.array(first)  # a copy: the step may hand out the same memory every time
    run_for(step, warm_up, FEWEST_WARM_UP_STEPS)
    others, start = others_seconds(), time.perf_counter()
    times, last = run_for(step, seconds, FEWEST_STEPS)
    others = (others_seconds() - others) / (time.perf_counter() - start)
    check(work, first, last)
    return {
        "time": statistics.median(times),
        "memory": status("VmHWM") - imported,
        "others": others,
        "first": first_time,
        "steps": len(times),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", help="module.function under workloads/")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long to measure")
    parser.add_argument("--warm-up", type=float, default=1.0, help="how long to run before that")
    parser.add_argument("--once", action="store_true", help="time the first call alone")
    options = parser.parse_args()
    print(json.dumps(measure(options.work, options.seconds, options.warm_up, options.once)))


if __name__ == "__main__":
    main()
