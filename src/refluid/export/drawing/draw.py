"""python -m refluid inspect --graph: the drawing of a saved model, as SVG."""

from __future__ import annotations

import os
from collections import defaultdict
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from refluid.export.drawing.boxes import SMALL, TITLE, Box, Drawing, boxes_of
from refluid.export.drawing.layout import GUTTER, MARGIN, Lane, Layout, Place, lay_out
from refluid.saving.describe import describe
from refluid.saving.files import replacing
from refluid.saving.inference import read_model, strip_feed_and_fetch

TRACK = 5.0  # between arrows that go to the next column side by side

_STYLE = """
.box { stroke: #555; stroke-width: 1; }
.operator { fill: #ffffff; } .trained { fill: #dceafa; } .input { fill: #e2f3e0; } .output { fill: #fbe9d6; }
text { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #222; } .small { fill: #666; }
.arrow { fill: none; stroke: #777; stroke-width: 1.2; stroke-linejoin: round; marker-end: url(#tip); }
"""


def draw(folder: str, model_filename: str | None, path: str) -> None:
    """Draw the model in a folder; its parameters are not needed."""
    model = describe(folder, model_filename).path
    program = read_model(folder, os.path.relpath(model, folder))
    feeds, fetches = strip_feed_and_fetch(program)
    block = program.global_block()
    text = to_svg(boxes_of(block, [block.var(n) for n in feeds], [block.var(n) for n in fetches]), model)
    with replacing(path) as file:
        file.write(text.encode())


def to_svg(drawing: Drawing, title: str) -> str:
    layout = lay_out([(box.width, box.height) for box in drawing.boxes], drawing.arrows)
    size = f"{layout.width:.0f} {layout.height:.0f}"
    width, height = size.split()
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {size}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#777"/></marker></defs>',
        '<rect width="100%" height="100%" fill="#fff"/>',
        *_arrows(drawing, layout),
        *(_box(box, place) for box, place in zip(drawing.boxes, layout.places)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _box(box: Box, place: Place) -> str:
    middle = place.x + box.width / 2
    corner = 8 if box.kind in ("input", "output") else 2
    lines = [
        f"<g><title>{escape(box.hint)}</title>",
        f'<rect class={quoteattr(f"box {box.kind}")} x="{place.x:.1f}" y="{place.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{corner}"/>',
        f'<text x="{middle:.1f}" y="{place.y + TITLE + 3:.1f}" font-size="{TITLE}" text-anchor="middle">'
        f"{escape(box.title)}</text>",
    ]
    for i, line in enumerate(box.lines, 1):
        y = place.y + TITLE + 3 + i * (SMALL + 3)
        lines.append(
            f'<text class="small" x="{middle:.1f}" y="{y:.1f}" font-size="{SMALL}" text-anchor="middle">'
            f"{escape(line)}</text>"
        )
    return "".join([*lines, "</g>"])


def _arrows(drawing: Drawing, layout: Layout) -> list[str]:
    """Curves between layers, straight lines through the layers that an arrow passes."""
    arriving: dict[int, list[int]] = defaultdict(list)
    for source, target in drawing.arrows:
        arriving[target].append(source)
    ways = []
    for source, target in drawing.arrows:
        box, place = drawing.boxes[source], layout.places[source]
        goal, goal_place = drawing.boxes[target], layout.places[target]
        start = Lane(place.x + box.width / 2, place.y + box.height, layout.floors[source], place.column)
        # Arrows that arrive at one box share its upper side, in the order in which they come.
        from_left = sorted(arriving[target], key=lambda one: _comes_from(drawing, layout, one, target))
        port = goal_place.x + goal.width * (from_left.index(source) + 1) / (len(from_left) + 1)
        end = Lane(port, goal_place.y, goal_place.y, goal_place.column)
        ways.append([start, *layout.routes.get((source, target), []), end])
    leaving: dict[int, set[float]] = defaultdict(set)  # the columns that arrows leave, and where
    for way in ways:
        for stop, following in pairwise(way):
            if following.column > stop.column:
                leaving[stop.column].add(stop.x)
    tracks = {column: sorted(places) for column, places in leaving.items()}
    return [f'<path class="arrow" d="{_path(way, tracks, layout)}"/>' for way in ways]


def _path(way: list[Lane], tracks: dict[int, list[float]], layout: Layout) -> str:
    path = f"M{way[0].x:.1f} {way[0].top:.1f}"
    for stop, following in pairwise(way):
        if stop.bottom > stop.top:
            path += f"L{stop.x:.1f} {stop.bottom:.1f}"
        if following.column == stop.column:
            path += _curve(stop.x, stop.bottom, following.x, following.top)
        else:
            path += _to_next_column(stop.x, following, tracks[stop.column], layout)
    return path


def _to_next_column(x: float, target: Lane, leaving: list[float], layout: Layout) -> str:
    """Below the column, up between the columns and down into the next, each on a track of its own: none cross."""
    track = min(TRACK, GUTTER / 2 / len(leaving)) * (leaving.index(x) - (len(leaving) - 1) / 2)
    between, low = layout.gutter(x) - track, layout.height - MARGIN - track
    high = target.top - GUTTER / 4 - MARGIN / 4 - track
    corners = [(x, low), (between, low), (between, high), (target.x, high), (target.x, target.top)]
    return "".join(f"L{a:.1f} {b:.1f}" for a, b in corners)


def _comes_from(drawing: Drawing, layout: Layout, source: int, target: int) -> float:
    route = layout.routes.get((source, target))
    return route[-1][0] if route else layout.places[source].x + drawing.boxes[source].width / 2


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    if abs(x - to_x) < 0.1:
        return f"L{to_x:.1f} {to_y:.1f}"
    half = (to_y - y) / 2
    return f"C{x:.1f} {y + half:.1f} {to_x:.1f} {to_y - half:.1f} {to_x:.1f} {to_y:.1f}"
