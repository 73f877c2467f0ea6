"""make bench: times this project beside its peers and prints the ratios.

The contestants take turns, round after round, each time in a process of its own, so that a busy moment of the machine
does not fall on one of them alone. Peers are installed into environments outside the repository on the first run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import environments
import report
from environments import ENVIRONMENTS, Unavailable
from rows import OURS, ROWS, Run, runs_of, select

HERE = Path(__file__).resolve().parent
LONGEST_RUN = 300  # seconds
BUSY = 0.2  # cores used by others from which the figures are doubtful


def measure(run: Run, interpreter: Path, seconds: float, cores: int) -> dict:
    words = [str(interpreter), "worker.py", run.work, "--seconds", str(seconds), "--warm-up", str(seconds / 3)]
    if run.once:
        words.append("--once")
    try:
        done = subprocess.run(
            words,
            cwd=HERE,
            env={**environments.variables_of(run.environment, cores), "JAX_PLATFORMS": "cpu"},
            capture_output=True,
            text=True,
            timeout=LONGEST_RUN,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"no answer after {LONGEST_RUN} s") from None
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Unavailable(complaint[-1])
    return json.loads(done.stdout.splitlines()[-1])


def prepare(names: list[str], install: bool) -> tuple[dict[str, Path], list[str]]:
    """The interpreters of the contestants that can run, and the names of the others."""
    ready, absent = {}, []
    for name in names:
        try:
            ready[name] = ENVIRONMENTS[name].interpreter(install)
        except Unavailable as why:
            absent.append(name)
            print(f"skipped {ENVIRONMENTS[name].title}: {why}", flush=True)
    return ready, absent


def take_turns(runs: list[Run], ready: dict[str, Path], rounds: int, seconds: float, cores: int):
    """All figures of every run, and the runs that failed. One that fails is not tried again."""
    figures: report.Figures = {}
    failed: list[Run] = []
    for turn in range(rounds):
        for run in runs:
            if run.environment not in ready or run in failed:
                continue
            title = f"{ENVIRONMENTS[run.environment].title}, {run.work}"
            try:
                result = measure(run, ready[run.environment], seconds, cores)
            except Unavailable as why:
                failed.append(run)
                print(f"skipped {title}: {why}", flush=True)
                continue
            figures.setdefault(run, []).append(result)
            print(f"round {turn + 1}/{rounds}  {title}: {report.show(result['time'], 'time')}", flush=True)
    return figures, failed


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ", ".join(row.name for row in ROWS)
    parser.add_argument("--only", action="append", metavar="NAME", help=f"rows whose name starts so: {names}")
    parser.add_argument("--rounds", type=int, default=5, help="how often everybody runs (5)")
    parser.add_argument("--no-install", action="store_true", help="use only the peers that are installed already")
    parser.add_argument("--quick", action="store_true", help="one short round, to see that everything runs")
    options = parser.parse_args()
    if not select(options.only):
        parser.error(f"--only {' '.join(options.only)}: no such row; there are {names}")
    if options.rounds < 1:
        parser.error(f"--rounds: expected 1 or more, got {options.rounds}")
    return options


def main() -> int:
    options = arguments()
    rounds, seconds = (1, 0.3) if options.quick else (options.rounds, 1.5)
    cores = len(os.sched_getaffinity(0))
    rows = select(options.only)
    runs = runs_of(rows)
    ready, absent = prepare(list(dict.fromkeys(run.environment for run in runs)), not options.no_install)
    environments.write_bytecode()
    figures, failed = take_turns(runs, ready, rounds, seconds, cores)

    table = report.text_table(report.lines_of(rows, figures))
    others = statistics.median([result["others"] for results in figures.values() for result in results] or [0.0])
    print(f"\n{table}\n")
    if others > BUSY:
        print(f"other processes were using {others:.1f} of the {cores} cores: measure again on a quiet machine")
    ours_failed = any(run.environment == OURS for run in failed)
    if not (options.only or options.quick or ours_failed):
        versions = [environments.version_of(ready[name], ENVIRONMENTS[name].package) for name in ready]
        # without the reasons, which may name folders of this machine; they were printed above
        remarks = [f"{ENVIRONMENTS[name].title} was skipped: it could not be installed" for name in absent]
        remarks += [f"{ENVIRONMENTS[run.environment].title}, {run.work} failed" for run in failed]
        page = report.results_page(table, cores, rounds, others, versions, remarks)
        report.replace_table(HERE / "RESULTS.md", page)
    return 1 if ours_failed else 0


if __name__ == "__main__":
    sys.exit(main())
