"""Two states of Refluid side by side: the same works with the sources of each, in turns.

    python benchmarks/compare.py BEFORE AFTER mnist_fluid.static resnet_fluid.build --rounds 3

BEFORE and AFTER are clones of this repository. Each figure is the best of the rounds; `build` and `first_call` are
single calls, the others the median step of a process.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ONCE = ("build", "first_call")


def seconds(clone: Path, work: str, duration: float) -> float:
    """What the worker of this folder measures with the sources and the works of a clone."""
    length = ["--once"] if work.endswith(ONCE) else ["--seconds", str(duration), "--warm-up", "1"]
    environment = {**os.environ, "PYTHONPATH": str(clone / "src")}
    done = subprocess.run(
        [sys.executable, "worker.py", work, *length],
        cwd=clone / "benchmarks", env=environment, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{work} in {clone}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])["time"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("works", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    print("| work | before | after | ratio |\n| --- | --- | --- | --- |")
    for work in options.works:
        times: dict[Path, list[float]] = {options.before.resolve(): [], options.after.resolve(): []}
        for round_number in range(options.rounds):
            clones = list(times)
            for clone in clones if round_number % 2 else clones[::-1]:
                times[clone].append(seconds(clone, work, options.seconds))
        before, after = (min(found) * 1e3 for found in times.values())
        print(f"| {work} | {before:.3f} ms | {after:.3f} ms | {after / before:.2f} |", flush=True)


if __name__ == "__main__":
    main()
