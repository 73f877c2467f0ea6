"""The table of figures, on the terminal and in RESULTS.md."""

import datetime
import os
import platform
import statistics
from pathlib import Path

from environments import ENVIRONMENTS
from rows import Row, Run

HEADER = ["work", "Refluid", "peer", "peer's", "ratio", "at most", "result"]
Figures = dict[Run, list[dict]]


def best(figures: Figures, run: Run, figure: str) -> float | None:
    """The minimum over the rounds, or None for a run that never succeeded."""
    return min((result[figure] for result in figures.get(run, [])), default=None)


def median_ratio(figures: Figures, mine: Run, theirs: Run, figure: str) -> float | None:
    """The median over the rounds of the ratio within a round, where both ran side by side; None without any."""
    pairs = zip(figures.get(mine, []), figures.get(theirs, []), strict=False)  # one that fails is not tried again
    ratios = [one[figure] / other[figure] for one, other in pairs if other[figure]]
    return statistics.median(ratios) if ratios else None


def show(value: float | None, figure: str) -> str:
    if value is None:
        return "-"
    if figure == "memory":
        return f"{value / 2**20:.0f} MB"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size or unit == "us":
            return f"{value / size:.3g} {unit}" if value < 100 * size else f"{value / size:.0f} {unit}"
    raise AssertionError("unreachable")


def verdict(ratio: float | None, at_most: float | None) -> str:
    if ratio is None or at_most is None:
        return ""
    return "ok" if ratio <= at_most else "MISSED"


def lines_of(rows: list[Row], figures: Figures) -> list[list[str]]:
    """One line per comparison."""
    lines = []
    for row in rows:
        mine = best(figures, row.ours, row.figure)
        first = [row.title, show(mine, row.figure)]
        if row.at_most_seconds is not None:
            limit = row.at_most_seconds
            lines.append([*first, "", "", "", f"{limit} s", verdict(mine, limit)])
            first = ["", ""]
        for peer in row.peers:
            theirs = best(figures, peer.run, row.figure)
            ratio = median_ratio(figures, row.ours, peer.run, row.figure)
            lines.append(
                [
                    *first,
                    peer.title or ENVIRONMENTS[peer.run.environment].title,
                    show(theirs, row.figure),
                    f"{ratio:.2f}" if ratio is not None else "-",
                    f"{peer.at_most:.2f}" if peer.at_most is not None else "",
                    verdict(ratio, peer.at_most),
                ]
            )
            first = ["", ""]
    return lines


def text_table(lines: list[list[str]]) -> str:
    """The table as Markdown that also reads well on a terminal."""
    widths = [max(len(cell) for cell in column) for column in zip(HEADER, *lines)]
    rule = ["-" * width for width in widths]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
        for line in [HEADER, rule, *lines]
    )


def machine(cores: int) -> str:
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {cores} cores, {memory:.0f} GB, {platform.system()}"


def results_page(table: str, cores: int, rounds: int, others: float, versions: list[str], remarks: list[str]) -> str:
    listed = "\n".join(f"- {line}" for line in [*versions, *remarks])
    return f"""# Speed and memory

Written by `make bench` on {datetime.date.today().isoformat()}.
Machine: {machine(cores)}; {cores} threads for everybody.
Each figure is the minimum over {rounds} rounds of the median time of a step in a process of its own; a ratio is the
median of the ratios of the rounds. Memory is the peak of resident memory beyond what the imports take. Other processes
used {others:.2f} cores meanwhile (median of all runs).

{table}

{listed}
"""


def replace_table(path: Path, page: str) -> None:
    """Write the page, and keep the sections that people have written below the one before it."""
    before = path.read_text() if path.exists() else ""
    path.write_text(page + before[before.find("\n## ") :] if "\n## " in before else page)
