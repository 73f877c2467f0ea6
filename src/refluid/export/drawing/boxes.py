"""What is drawn of a program: a box per operator, input and output, and the arrows between them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from refluid.core import dtypes
from refluid.ir.block import Block
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.variable import Variable

CHARACTER = 0.62  # the width of a character of a monospaced font, in parts of its size
TITLE, SMALL = 13, 10  # font sizes
LONGEST = 44  # characters of a line


@dataclass
class Box:
    """A title, small lines below it, and everything in full for whoever points at it."""

    kind: str  # input, output, operator, trained
    title: str
    lines: list[str]
    hint: str
    width: float = field(init=False)
    height: float = field(init=False)

    def __post_init__(self) -> None:
        self.title, self.lines = _short(self.title), [_short(line) for line in self.lines]
        widest = max(len(self.title) * TITLE, *(len(line) * SMALL for line in self.lines), 8 * SMALL)
        self.width = widest * CHARACTER + 16
        self.height = TITLE + 11 + (SMALL + 3) * len(self.lines)


@dataclass
class Drawing:
    boxes: list[Box]
    arrows: list[tuple[int, int]]  # from box to box, by number


def boxes_of(block: Block, feeds: list[Variable], fetches: list[Variable]) -> Drawing:
    """The drawing of the main block of a model."""
    boxes: list[Box] = []
    arrows: dict[tuple[int, int], None] = {}
    writer: dict[str, int] = {}  # who wrote a variable last
    for var in feeds:
        writer[var.name] = len(boxes)
        boxes.append(Box("input", var.name, [_kind(var)], f"input {var.name} {_kind(var)}"))
    for op in block.ops:
        for name in op.input_arg_names:
            if name in writer:
                arrows[writer[name], len(boxes)] = None
        writer.update(dict.fromkeys((n for n in op.output_arg_names if n != EMPTY), len(boxes)))
        boxes.append(_operator(op))
    for var in fetches:
        if var.name in writer:
            arrows[writer[var.name], len(boxes)] = None
        boxes.append(Box("output", var.name, [_kind(var)], f"output {var.name} {_kind(var)}"))
    return Drawing(boxes, list(arrows))


def _operator(op: Operator) -> Box:
    lines = []
    outputs = [var for name in op.output_arg_names if (var := op.block.find_var(name)) is not None and var.shape]
    main = [var for var in outputs if not var.persistable]  # batch_norm also gives the statistics that it read
    if main:
        slots = [slot for slot in ("Out", "Output", "Y") if op.output(slot)]
        chosen = next((var for var in main if slots and var.name in op.output(slots[0])), main[0])
        lines.append(str(list(chosen.shape)))
    lines += _window(op)
    by_shape: dict[str, list[str]] = defaultdict(list)
    for slot, names in op.inputs.items():
        for name in names:
            var = op.block.find_var(name)
            if var is not None and var.persistable:
                by_shape[str(list(var.shape))].append(slot)
    lines += [f"{', '.join(slots)} {shape}" for shape, slots in by_shape.items()]
    inner = [value for value in op.attrs.values() if isinstance(value, Block)]
    lines += [", ".join(one.type for one in block.ops) for block in inner]
    used = [f"{slot}: {', '.join(names)}" for slot, names in (*op.inputs.items(), *op.outputs.items())]
    return Box("trained" if by_shape else "operator", op.type, lines, "\n".join([op.type, *used]))


def _window(op: Operator) -> list[str]:
    """How a window moves, where that is not from cell to cell: "max 3 x 3, stride 2, padding 1"."""
    parts = []
    if "pooling_type" in op.attrs:
        everything = op.attrs.get("global_pooling")
        size = "of all cells" if everything else " x ".join(map(str, op.attrs.get("ksize", [])))
        parts.append(f"{op.attrs['pooling_type']} {size}")
        if everything:
            return parts
    for word, name, usual in (("stride", "strides", 1), ("padding", "paddings", 0), ("dilation", "dilations", 1)):
        values = op.attrs.get(name)
        if isinstance(values, list) and any(value != usual for value in values):
            parts.append(f"{word} {' x '.join(map(str, values if len(set(values)) > 1 else values[:1]))}")
    groups = op.attrs.get("groups", 1)
    return [", ".join([*parts, *([f"{groups} groups"] if groups != 1 else [])])] if parts or groups != 1 else []


def _kind(var: Variable) -> str:
    lod = f", LoD {var.lod_level}" if var.lod_level else ""
    return f"{dtypes.NAME[var.dtype]} {list(var.shape)}{lod}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
