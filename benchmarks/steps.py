"""How the cost of a training step grows with batch, depth, length and operators; writes STEPS.md and steps.svg.

    nice .venv/bin/python benchmarks/steps.py        # two to seven minutes

Every contestant computes with one thread, and what counts is steps per second of processor time, the most of several
bursts: others may use the machine meanwhile. A line `seconds = start + size * slope` is fitted to each series, and the
page tells how far the figures are from it.
"""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from environments import ENVIRONMENTS, Unavailable, variables_of, write_bytecode
from growth_plot import Chart, curves

HERE = Path(__file__).resolve().parent
LONGEST = 150  # seconds for a series of a contestant
STRAIGHT = 0.2  # how far from a line a figure may be


@dataclass(frozen=True)
class Series:
    name: str
    title: str
    sizes: tuple[int, ...]


SERIES = [
    Series("batch", "batch size (4 layers of 256)", (1, 2, 8, 32, 128, 512)),
    Series("depth", "layers (width 64, batch 32)", (4, 10, 25, 50, 100, 200)),
    Series("length", "sequence length (LSTM of 64, 8 sequences)", (8, 16, 32, 64, 128, 256, 512)),
    Series(
        "operators",
        "operators (on 16 x 16 numbers, and their gradients)",
        (10, 30, 100, 300, 1000, 3000, 10000),
    ),
]
# Why the cost is no straight line, where that has been looked into.
REASONS = {
    "operators fluid": "the reason is not known; its garbage collection is not it, without it the figures are alike",
}
CONTESTANTS = [("refluid", "steps_fluid.py"), ("torch", "steps_torch.py"), ("fluid", "steps_fluid.py")]


def measured(environment: str, program: str, series: Series) -> dict[int, float]:
    """Processor seconds of a step for every size."""
    python = ENVIRONMENTS[environment].interpreter(install=False)
    words = [str(python), "-W", "ignore", f"workloads/{program}", series.name, *map(str, series.sizes)]
    done = subprocess.run(
        words, cwd=HERE, env=variables_of(environment, 1), capture_output=True, text=True, timeout=LONGEST
    )
    if done.returncode:
        raise Unavailable((done.stderr.strip().splitlines() or ["no answer"])[-1])
    return {int(size): seconds for size, seconds in json.loads(done.stdout.splitlines()[-1]).items()}


def line(figures: dict[int, float]) -> tuple[float, float, float]:
    """Start and slope of the line that is nearest in relative terms, and the largest relative distance from it."""
    sizes, seconds = (np.array(list(values), float) for values in (figures.keys(), figures.values()))
    columns = np.stack([np.ones_like(sizes), sizes], 1)
    (start, slope), *_ = np.linalg.lstsq(columns / seconds[:, None], np.ones_like(sizes), rcond=None)
    return start, slope, float(np.abs((start + slope * sizes) / seconds - 1).max())


def told(series: Series, name: str, figures: dict[int, float]) -> str:
    start, slope, away = line(figures)
    title, reason = (
        ENVIRONMENTS[name].title,
        REASONS.get(f"{series.name} {name}", "others used the machine, or unknown"),
    )
    text = f"- {title}: {start * 1e6:,.0f} us and {slope * 1e6:,.2f} us for each, within {away:.0%}: "
    return text + ("a straight line." if away <= STRAIGHT else f"no straight line ({reason}).")


def section(series: Series, seconds: dict[str, dict[int, float]]) -> str:
    titles = [ENVIRONMENTS[name].title for name in seconds]
    rows = [[series.name, *titles], ["---"] * (1 + len(titles))]
    rows += [[f"{size:,}", *(f"{1 / seconds[name][size]:,.1f}" for name in seconds)] for size in series.sizes]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    lines = "\n".join(told(series, name, seconds[name]) for name in seconds)
    return f"## {series.title}\n\n{table}\n\nA step takes\n\n{lines}\n"


def page(figures: dict[Series, dict[str, dict[int, float]]], minutes: float) -> str:
    sections = "\n".join(section(series, found) for series, found in figures.items())
    return f"""# How the cost of a training step grows

Written by `steps.py` on {time.strftime("%Y-%m-%d")}, in {minutes:.0f} minutes: steps per second of processor time with
one thread, static programs beside PyTorch eager, plain SGD.

![steps per second of processor time](steps.svg)

{sections}"""


def main() -> None:
    write_bytecode()
    began = time.time()
    figures: dict[Series, dict[str, dict[int, float]]] = {series: {} for series in SERIES}
    for series in SERIES:
        for environment, program in CONTESTANTS:
            try:
                figures[series][environment] = measured(environment, program, series)
            except (Unavailable, subprocess.TimeoutExpired) as why:
                print(f"skipped {ENVIRONMENTS[environment].title}, {series.name}: {why}", flush=True)
                continue
            print(series.name, environment, figures[series][environment], flush=True)
    charts = [
        Chart(
            series.title, {ENVIRONMENTS[name].title: {n: 1 / s for n, s in one.items()} for name, one in found.items()}
        )
        for series, found in figures.items()
    ]
    (HERE / "steps.svg").write_text(curves("training steps per second of processor time", charts))
    (HERE / "STEPS.md").write_text(page(figures, (time.time() - began) / 60))


if __name__ == "__main__":
    main()
