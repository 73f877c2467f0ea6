"""The layout of boxes: layers from top to bottom, every arrow pointing down.

Boxes in a straight line (one follows only the other, and is followed by it alone) are a stack and move together. Each
stack is one layer below the lowest that it follows. An arrow over several layers gets a dummy node in each, so that it
runs between the boxes; arrows of one box share them. Orders are found by averages of neighbours, in sweeps down and up,
then the positions by the same. A very tall drawing goes on in further columns.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate
from statistics import mean
from typing import NamedTuple

GAP, LAYER_GAP, STACK_GAP, MARGIN = 18.0, 34.0, 12.0, 20.0
LANE = 8.0  # the width of the lane of an arrow that passes a layer
SWEEPS = 8
TALL, GUTTER = 1600.0, 48.0  # a drawing higher than this is split into columns, so far apart
SLACK = 0.12  # of the height of a column: so much it may be longer or shorter, to end at a good place


class Place(NamedTuple):
    """The upper left corner of a box, and its column."""

    x: float
    y: float
    column: int


class Lane(NamedTuple):
    """Where an arrow passes a layer."""

    x: float
    top: float
    bottom: float
    column: int


@dataclass
class Layout:
    places: list[Place]  # of the boxes, by number
    floors: list[float]  # of the layers of the boxes: arrows go straight down so far, past higher stacks beside them
    routes: dict[tuple[int, int], list[Lane]]  # by arrow, from top to bottom
    width: float
    height: float
    column_width: float = 0.0

    def gutter(self, x: float) -> float:
        """The middle of the space to the right of the column in which x is."""
        step = self.column_width + GUTTER
        return MARGIN + ((x - MARGIN) // step + 1) * step - GUTTER / 2


class _Node:
    """A stack of boxes, or the dummy node of an arrow in a layer."""

    def __init__(self, boxes: list[int], layer: int, width: float, height: float):
        self.boxes, self.layer, self.width, self.height = boxes, layer, width, height
        self.above: list[_Node] = []
        self.below: list[_Node] = []
        self.x = 0.0  # the middle


def lay_out(sizes: list[tuple[float, float]], arrows: list[tuple[int, int]]) -> Layout:
    """Positions of boxes of these sizes. `arrows` lead from lower numbers to higher ones."""
    nodes, of_box = _stacks(sizes, arrows)
    lanes = _lanes(nodes, of_box, arrows)
    layers: dict[int, list[_Node]] = defaultdict(list)
    for node in dict.fromkeys([*nodes, *(lane for route in lanes.values() for lane in route)]):
        layers[node.layer].append(node)
    rows = [layers[i] for i in sorted(layers)]
    _order(rows)
    _spread(rows)
    return _finished(rows, sizes, lanes)


def _stacks(sizes: list[tuple[float, float]], arrows: list[tuple[int, int]]) -> tuple[list[_Node], dict[int, _Node]]:
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for source, target in arrows:
        before[target].append(source)
        after[source].append(target)
    nodes: list[_Node] = []
    of_box: dict[int, _Node] = {}
    for box, (width, height) in enumerate(sizes):
        only = before[box][0] if len(before[box]) == 1 else None
        if only is not None and len(after[only]) == 1:
            node = of_box[only]
            node.width, node.height = max(node.width, width), node.height + STACK_GAP + height
        else:
            layer = max((of_box[source].layer + 1 for source in before[box]), default=0)
            node = _Node([], layer, width, height)
            nodes.append(node)
        node.boxes.append(box)
        of_box[box] = node
    return nodes, of_box


def _lanes(
    nodes: list[_Node], of_box: dict[int, _Node], arrows: list[tuple[int, int]]
) -> dict[tuple[int, int], list[_Node]]:
    """The dummy nodes of arrows in the layers they pass, shared by the arrows of one box; connects neighbours."""
    lanes = {}
    of_source: dict[tuple[int, int], _Node] = {}
    for source, target in arrows:
        start, end = of_box[source], of_box[target]
        if start is end:
            continue
        between = range(start.layer + 1, end.layer)
        route = [of_source.setdefault((source, layer), _Node([], layer, LANE, 0.0)) for layer in between]
        for upper, lower in zip([start, *route], [*route, end]):
            if lower not in upper.below:
                upper.below.append(lower)
                lower.above.append(upper)
        lanes[source, target] = route
    return lanes


def _order(rows: list[list[_Node]]) -> None:
    """Sort every layer by the average position of its neighbours, downwards and upwards in turn."""
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        place = {id(node): i for row in rows for i, node in enumerate(row)}
        for row in rows if down else rows[::-1]:
            average = {}
            for node in row:
                neighbours = node.above if down else node.below
                average[id(node)] = mean(place[id(n)] for n in neighbours) if neighbours else place[id(node)]
            row.sort(key=lambda node: average[id(node)])
            place.update((id(node), i) for i, node in enumerate(row))


def _spread(rows: list[list[_Node]]) -> None:
    """Put every node below the middle of its neighbours, as far as the others of its layer let it."""
    for row in rows:
        _pack(row, [0.0] * len(row))
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else rows[::-1]:
            wanted = []
            for node in row:
                neighbours = (node.above if down else node.below) or node.above or node.below
                wanted.append(mean(n.x for n in neighbours) if neighbours else node.x)
            _pack(row, wanted)


def _pack(row: list[_Node], wanted: list[float]) -> None:
    """The wanted positions, moved apart where boxes would touch: the mean of packing from left and right."""

    def packed(nodes: list[_Node], places: list[float]) -> list[float]:
        found: list[float] = []
        for i, (node, place) in enumerate(zip(nodes, places)):
            low = found[-1] + (nodes[i - 1].width + node.width) / 2 + GAP if found else place
            found.append(max(place, low))
        return found

    left = packed(row, wanted)
    right = [-x for x in packed(row[::-1], [-x for x in wanted[::-1]])][::-1]
    for node, a, b in zip(row, left, right):
        node.x = (a + b) / 2


def _columns(rows: list[list[_Node]], heights: list[float], width: float) -> list[int]:
    """The column of every layer: one, or as many as make a very tall drawing about as wide as it is high."""
    total = sum(heights)
    count = 1 if total <= TALL else max(round(math.sqrt(total / (width + GUTTER))), 1)
    ends = list(accumulate(heights))
    breaks = set()
    for i in range(1, count):
        goal, slack = i * total / count, SLACK * total / count
        near = [row for row, end in enumerate(ends[:-1]) if abs(end - goal) <= slack]
        # Where few arrows go on: between the blocks of a network, not inside of one.
        near = near or [min(range(len(ends)), key=lambda row: abs(ends[row] - goal))]
        breaks.add(min(near, key=lambda row: (len(rows[row]), abs(ends[row] - goal))))
    return list(accumulate((row - 1 in breaks for row in range(len(rows))), initial=0))[1:]


def _finished(
    rows: list[list[_Node]], sizes: list[tuple[float, float]], lanes: dict[tuple[int, int], list[_Node]]
) -> Layout:
    if not rows:
        return Layout([], [], {}, 2 * MARGIN, 2 * MARGIN)
    left = min(node.x - node.width / 2 for row in rows for node in row)
    width = max(node.x + node.width / 2 for row in rows for node in row) - left
    depths = [max(node.height for node in row) + LAYER_GAP for row in rows]
    columns = _columns(rows, depths, width)
    places = [Place(0.0, 0.0, 0) for _ in sizes]
    floors = [0.0 for _ in sizes]
    spans: dict[int, Lane] = {}
    tops = [MARGIN + GUTTER / 2 * (columns[-1] > 0)] * (columns[-1] + 1)
    for row, depth, column in zip(rows, depths, columns):
        top, shift = tops[column], MARGIN + column * (width + GUTTER) - left
        for node in row:
            spans[id(node)] = Lane(node.x + shift, top, top + depth - LAYER_GAP, column)
            y = top
            for box in node.boxes:
                places[box] = Place(node.x + shift - sizes[box][0] / 2, y, column)
                y += sizes[box][1]
                floors[box] = top + depth - LAYER_GAP if box == node.boxes[-1] else y
                y += STACK_GAP
        tops[column] += depth
    routes = {arrow: [spans[id(lane)] for lane in route] for arrow, route in lanes.items()}
    whole = (columns[-1] + 1) * (width + GUTTER) - GUTTER + 2 * MARGIN
    return Layout(places, floors, routes, whole, max(tops) - LAYER_GAP / 2 + MARGIN, width)
