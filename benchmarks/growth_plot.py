"""Bars side by side as SVG, for figures that are few."""

from __future__ import annotations

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
    whole = WIDTH * len(panels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {HEIGHT}" font-family="sans-serif" '
        f'font-size="11" text-anchor="middle">\n<rect width="{whole}" height="{HEIGHT}" fill="white"/>\n'
        f'<text x="{whole / 2}" y="16" font-size="13">{title}</text>\n{drawn}\n</svg>\n'
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
