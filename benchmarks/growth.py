"""How the cost of parameter servers grows with trainers, servers and rows; writes GROWTH.md and growth.svg.

    .venv/bin/python benchmarks/growth.py --rounds 2

The work is the CTR network of workloads/servers_fluid.py, synchronous, every process with one thread on loopback. What
counts is examples per second of processor time of all processes together: with more processes than cores, and others
on the machine, the clock on the wall would tell of those.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

from environments import ENVIRONMENTS
from growth_plot import Panel, svg
from servers import run

HERE = Path(__file__).resolve().parent
BATCH = 256


@dataclass(frozen=True)
class Setting:
    trainers: int = 2
    servers: int = 2
    rows: int = 10**6


@dataclass
class Cost:
    """Of one step: seconds, of the processor unless said otherwise."""

    step: float  # on the clock
    trainer: float
    servers: float  # of all of them
    memory: int  # bytes of the largest server


SERIES = {
    "trainers": [Setting(trainers=count) for count in (1, 2, 4)],
    "servers": [Setting(servers=count) for count in (1, 2, 4)],
    "rows": [Setting(rows=count) for count in (10**5, 10**6, 10**7)],
}


def examples_per_second(setting: Setting, cost: Cost) -> float:
    """Examples per second of processor time."""
    return BATCH * setting.trainers / (cost.trainer * setting.trainers + cost.servers)


def measured(setting: Setting, rounds: int, seconds: float) -> Cost:
    """The best of the rounds, each figure by itself."""
    python = ENVIRONMENTS["refluid"].interpreter(install=False)
    runs = [
        run("refluid", python, "ctr", "sync", setting.servers, setting.trainers, seconds, setting.rows)
        for _ in range(rounds)
    ]
    step, trainer, servers, memory = (min(one[key] for one in runs) for key in ("time", "cpu", "servers", "memory"))
    return Cost(step, trainer, servers, memory)


HEADS = (
    "trainers", "servers", "rows", "examples per processor second", "a trainer", "all servers", "step, on the clock",
    "a server's memory",
)  # fmt: skip


def cells(setting: Setting, cost: Cost) -> list[str]:
    times = [f"{seconds * 1e3:.1f} ms" for seconds in (cost.trainer, cost.servers, cost.step)]
    counts = [f"{count:,}" for count in (setting.trainers, setting.servers, setting.rows)]
    return [*counts, f"{examples_per_second(setting, cost):,.0f}", *times, f"{cost.memory >> 20} MB"]


def page(costs: dict[Setting, Cost], rounds: int) -> str:
    table = [HEADS, ["---"] * len(HEADS), *(cells(*one) for one in costs.items())]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in table)
    return f"""# How the cost of parameter servers grows

Written by `growth.py` on {time.strftime("%Y-%m-%d")}: the CTR network (26 slots, rows of 16 floats, batches of
{BATCH}), synchronous, plain SGD, the best of {rounds} rounds; {os.cpu_count()} cores, load {os.getloadavg()[1]:.1f} at
the end. Processor times are per step: of one trainer, and of all servers together.

{lines}

![examples per second of processor time](growth.svg)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4.0)
    options = parser.parse_args()
    costs: dict[Setting, Cost] = {}
    for setting in dict.fromkeys(one for series in SERIES.values() for one in series):
        costs[setting] = measured(setting, options.rounds, options.seconds)
        print(setting, costs[setting], f"{examples_per_second(setting, costs[setting]):.0f} examples/s", flush=True)
    panels = [
        Panel(name, [(f"{getattr(one, name):,}", examples_per_second(one, costs[one])) for one in series])
        for name, series in SERIES.items()
    ]
    (HERE / "growth.svg").write_text(svg("examples per second of processor time", panels))
    (HERE / "GROWTH.md").write_text(page(costs, options.rounds))


if __name__ == "__main__":
    main()
