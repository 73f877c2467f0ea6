"""Times this project's parameter servers beside those of Fluid 1.8.5, process by process alike, on loopback.

    .venv/bin/python benchmarks/servers.py                       # every work and mode, 2 servers, 2 trainers
    .venv/bin/python benchmarks/servers.py ctr sync --rounds 3 --trainers 4
    .venv/bin/python benchmarks/servers.py --state               # this project with and without a state folder

The two take turns. Every process gets one thread. Servers of 1.8.5 do not end when their trainers have, so all
processes are killed once trainer 0 has told its figures. Printed are the time of trainer 0's steps and the processor
time per step of that trainer and of all servers, which says more where others use the machine too.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from environments import ENVIRONMENTS, Unavailable, variables_of, write_bytecode
from workloads.job import free_endpoints

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "workloads" / "servers_fluid.py"
LONGEST = 300  # seconds for a job
STATE = "REFLUID_PSERVER_STATE_DIR"
MOST_FOR_STATE = 1.10
STEPS_OF_A_LOG = {"ctr": 70, "mlp": 6, "small": 220}  # after which a log begins anew, on pages that have been used
AT_LEAST = {("ctr", "sync"): 3, ("ctr", "async"): 3, ("mlp", "sync"): 1.5}  # times the examples per second of 1.8.5


def environment(name: str) -> dict[str, str]:
    return {**variables_of(name, threads=1), "CPU_NUM": "1", "GLOG_v": "0"}


def run(
    name: str, python: Path, work: str, mode: str, servers: int, trainers: int, seconds: float, rows: int = 10**6,
    state: str = "", warm_up: int = 2,
) -> dict:  # fmt: skip
    """What trainer 0 tells, the processor time of all servers per step of it, and the memory of the largest server.

    `state` is a folder for the servers.
    """
    endpoints = free_endpoints(servers)

    def start(role: str, number: int) -> subprocess.Popen:
        words = [python, "-W", "ignore", PROGRAM, role, number, work, mode, ",".join(endpoints), trainers, seconds]
        return subprocess.Popen(
            [str(word) for word in words], cwd=HERE, text=True,
            env={**environment(name), "BENCH_ROWS": str(rows), "BENCH_WARM_UP": str(warm_up), STATE: state},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    processes = [start("pserver", number) for number in range(servers)]
    serving = list(processes)

    def end() -> None:
        for process in processes:
            process.send_signal(signal.SIGKILL)

    guard = threading.Timer(LONGEST, end)  # a job that hangs is killed, so that its output ends
    guard.start()
    try:
        for process in serving:
            _wait_for("listening", process)
        training = [start("trainer", number) for number in range(trainers)]
        processes += training
        _wait_for("training", training[0])
        before = sum(_seconds(process) for process in serving)
        told = json.loads(_wait_for("{", training[0]))
        used = sum(_seconds(process) for process in serving) - before
        memory = max(_peak_memory(process) for process in serving)
    finally:
        guard.cancel()
        end()
        for process in processes:
            process.communicate()
    return {**told, "servers": used / told["steps"], "memory": memory}


def _wait_for(beginning: str, process: subprocess.Popen) -> str:
    """The line of its output that begins so."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(beginning):
            return line
    raise Unavailable(f"a process ended before it said {beginning!r}")


def _seconds(process: subprocess.Popen) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_memory(process: subprocess.Popen) -> int:
    """Bytes that a process has had in memory at most."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", nargs="?", choices=("ctr", "mlp", "small"))
    parser.add_argument("mode", nargs="?", choices=("sync", "async"))
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--trainers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--state", action="store_true", help="what keeping a state folder costs")
    options = parser.parse_args()
    write_bytecode()
    if options.state:
        return cost_of_state(options)
    names = ("refluid", "fluid")
    pythons = {name: ENVIRONMENTS[name].interpreter(install=False) for name in names}
    for work, mode in AT_LEAST:
        if options.work not in (None, work) or options.mode not in (None, mode):
            continue
        figures: dict[str, list[dict]] = {name: [] for name in names}
        for _ in range(options.rounds):
            for name in names:
                try:
                    figures[name].append(
                        run(name, pythons[name], work, mode, options.servers, options.trainers, options.seconds)
                    )
                except Unavailable as why:
                    print(f"{ENVIRONMENTS[name].title}, {work} {mode}: {why}", flush=True)
        _tell(work, mode, figures)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} at {time.strftime('%H:%M')}")
    return 0


def cost_of_state(options: argparse.Namespace) -> int:
    """Training with a state folder and without, in turns."""
    python = ENVIRONMENTS["refluid"].interpreter(install=False)
    for work in ("ctr", "mlp", "small") if options.work is None else (options.work,):
        figures: dict[bool, list[dict]] = {False: [], True: []}
        for turn in range(2 * options.rounds):
            with tempfile.TemporaryDirectory() as folder:
                kept, counts = turn % 2 == 1, (options.servers, options.trainers, options.seconds)
                about = {"state": folder if kept else "", "warm_up": 2 * STEPS_OF_A_LOG[work]}
                figures[kept].append(run("refluid", python, work, options.mode or "sync", *counts, **about))
        used = {
            kept: statistics.median(options.trainers * one["cpu"] + one["servers"] for one in found) * 1e3
            for kept, found in figures.items()
        }
        wall = {kept: statistics.median(one["time"] for one in found) * 1e3 for kept, found in figures.items()}
        print(
            f"{work} {options.mode or 'sync'}: processor {used[False]:.1f} ms a step of all processes, "
            f"{used[True]:.1f} with a state folder: x {used[True] / used[False]:.2f} (at most {MOST_FOR_STATE}); "
            f"{wall[False]:.1f} and {wall[True]:.1f} ms of time: x {wall[True] / wall[False]:.2f}",
            flush=True,
        )
    print(f"load of the machine: {os.getloadavg()[0]:.1f} at {time.strftime('%H:%M')}")
    return 0


def _tell(work: str, mode: str, figures: dict[str, list[dict]]) -> None:
    for name, runs in figures.items():
        if runs:
            step = statistics.median(one["time"] for one in runs)
            trainer, servers = (statistics.median(one[key] for one in runs) * 1e3 for key in ("cpu", "servers"))
            print(
                f"{work} {mode}, {ENVIRONMENTS[name].title}: {step * 1e3:.1f} ms a step; processor {trainer:.1f} ms of "
                f"trainer 0, {servers:.1f} ms of the servers; loss {runs[-1]['loss']:.4f}",
                flush=True,
            )
    if all(figures.values()):
        times = [min(one["time"] for one in figures[name]) for name in ("refluid", "fluid")]
        print(f"{work} {mode}: {times[1] / times[0]:.2f} x as fast (at least {AT_LEAST[work, mode]})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
