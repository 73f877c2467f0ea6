"""python -m refluid inspect --graph: the drawing of a saved model, as SVG."""

from __future__ import annotations

import os
from collections import defaultdict
from xml.sax.saxutils import escape, quoteattr

from refluid.export.drawing.boxes import SMALL, TITLE, Box, Drawing, boxes_of
from refluid.export.drawing.layout import GUTTER, MARGIN, Layout, Place, lay_out
from refluid.saving.describe import describe
from refluid.saving.files import replacing
from refluid.saving.inference import read_model, strip_feed_and_fetch

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
    lines = []
    for source, target in drawing.arrows:
        box, place = drawing.boxes[source], layout.places[source]
        goal, goal_place = drawing.boxes[target], layout.places[target]
        x, y = place.x + box.width / 2, place.y + box.height
        # Arrows that arrive at one box share its upper side, in the order in which they come.
        from_left = sorted(arriving[target], key=lambda one: _comes_from(drawing, layout, one, target))
        port = goal_place.x + goal.width * (from_left.index(source) + 1) / (len(from_left) + 1)
        path, column = f"M{x:.1f} {y:.1f}", place.column
        for lane in layout.routes.get((source, target), []):
            path += _way(x, y, lane.x, lane.top, lane.column > column, layout) + f"L{lane.x:.1f} {lane.bottom:.1f}"
            x, y, column = lane.x, lane.bottom, lane.column
        way = _way(x, y, port, goal_place.y, goal_place.column > column, layout)
        lines.append(f'<path class="arrow" d="{path}{way}"/>')
    return lines


def _way(x: float, y: float, to_x: float, to_y: float, to_next_column: bool, layout: Layout) -> str:
    """Down to the next layer; or below the column, up between the columns and down into the next."""
    if not to_next_column:
        return _curve(x, y, to_x, to_y)
    between = layout.gutter(x)
    low, high = layout.height - MARGIN / 2, to_y - GUTTER / 4
    corners = [(x, low), (between, low), (between, high), (to_x, high), (to_x, to_y)]
    return "".join(f"L{a:.1f} {b:.1f}" for a, b in corners)


def _comes_from(drawing: Drawing, layout: Layout, source: int, target: int) -> float:
    route = layout.routes.get((source, target))
    return route[-1][0] if route else layout.places[source].x + drawing.boxes[source].width / 2


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    if abs(x - to_x) < 0.1:
        return f"L{to_x:.1f} {to_y:.1f}"
    half = (to_y - y) / 2
    return f"C{x:.1f} {y + half:.1f} {to_x:.1f} {to_y - half:.1f} {to_x:.1f} {to_y:.1f}"
