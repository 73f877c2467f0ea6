"""Figures as SVG: bars side by side where they are few, curves over logarithmic axes where sizes span decades."""

from __future__ import annotations

import math
from dataclasses import dataclass

WIDTH, HEIGHT, BAR, LEFT, TOP, BOTTOM = 220, 200, 44, 12, 40, 36


@dataclass
class Panel:
    title: str
    bars: list[tuple[str, float]]


def svg(title: str, panels: list[Panel]) -> str:
    """A picture with a panel beside the other; all have the same scale."""
    highest = max(value for panel in panels for _, value in panel.bars)
    drawn = "\n".join(_panel(panel, number * WIDTH, highest) for number, panel in enumerate(panels))
    return _picture(title, drawn, WIDTH * len(panels), HEIGHT)


def _picture(title: str, drawn: str, width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="11" text-anchor="middle">\n<rect width="{width}" height="{height}" fill="white"/>\n'
        f'<text x="{width / 2}" y="16" font-size="13">{title}</text>\n{drawn}\n</svg>\n'
    )


def _panel(panel: Panel, left: int, highest: float) -> str:
    base, room = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    parts = [f'<text x="{left + WIDTH / 2}" y="{HEIGHT - 6}" font-weight="bold">{panel.title}</text>']
    for number, (name, value) in enumerate(panel.bars):
        x, tall = left + LEFT + number * (BAR + 24), room * value / highest
        middle = x + BAR / 2
        parts += [
            f'<rect x="{x}" y="{base - tall:.1f}" width="{BAR}" height="{tall:.1f}" fill="#4878a8"/>',
            f'<text x="{middle}" y="{base - tall - 4:.1f}">{value:,.0f}</text>',
            f'<text x="{middle}" y="{base + 14}">{name}</text>',
        ]
    return "\n".join(parts)


@dataclass
class Chart:
    title: str
    curves: dict[str, dict[int, float]]  # of each name: value by size


CHART, MARGIN = (360, 260), (56, 44, 20, 40)  # width and height; left, top, right, bottom
COLOURS = ("#c44e52", "#4878a8", "#6a9f58", "#8172b2")


def curves(title: str, charts: list[Chart]) -> str:
    """Two charts in a row, each with logarithmic axes of its own."""
    width, height = CHART
    drawn = [_chart(chart, number % 2 * width, 20 + number // 2 * height) for number, chart in enumerate(charts)]
    return _picture(title, "\n".join(drawn), 2 * width, 20 + (len(charts) + 1) // 2 * height)


def _chart(chart: Chart, left: int, top: int) -> str:
    (width, height), (before, above, behind, below) = CHART, MARGIN
    points = [(x, y) for curve in chart.curves.values() for x, y in curve.items()]
    x0, x1 = min(x for x, _ in points), max(x for x, _ in points)
    y0, y1 = (10.0**power for power in _decades([y for _, y in points]))

    def place(x: float, y: float) -> tuple[float, float]:
        across = math.log(x / x0) / math.log(x1 / x0)
        up = math.log(y / y0) / math.log(y1 / y0)
        return left + before + across * (width - before - behind), top + height - below - up * (height - above - below)

    parts = [f'<text x="{left + width / 2}" y="{top + height - 8}" font-weight="bold">{chart.title}</text>']
    for power in range(round(math.log10(y0)), round(math.log10(y1)) + 1):
        x, y = place(x0, 10.0**power)
        parts.append(f'<path d="M{x:.1f} {y:.1f}H{left + width - behind}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 4:.1f}" y="{y + 4:.1f}" text-anchor="end">{10**power:,g}</text>')
    for size in sorted({x for x, _ in points}):
        x, y = place(size, y0)
        parts.append(f'<text x="{x:.1f}" y="{y + 14:.1f}" font-size="9">{size}</text>')
    for number, (colour, (name, curve)) in enumerate(zip(COLOURS, chart.curves.items(), strict=False)):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in curve.items()))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x = left + before + 8 + 100 * number
        parts.append(f'<rect x="{x}" y="{top + 20}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{x + 14}" y="{top + 29}" text-anchor="start">{name}</text>')
    return "\n".join(parts)


def _decades(values: list[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
