"""Writes a run: the call, the lines of its kernels for what the call does not take, and what follows from the call.

computed = pointwise(x, y)
if computed is None:
    total = elementwise_add(x, y)
    out = sigmoid(total)
    total_shape = total.shape
    del total, x
else:
    total_shape = x.shape
    out, = computed
    del computed, x
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from refluid.executor.graph.node import Node
from refluid.executor.pointwise.caller import caller_of
from refluid.executor.pointwise.program import program_of
from refluid.executor.source import Source

if TYPE_CHECKING:
    from refluid.executor.pointwise.run import Run


def write_run(source: Source, run: Run, write: Callable[[Node], None], indent: int) -> None:
    """`write` writes the lines of a node, and the deletions after it."""
    inputs = [*map(source.local, run.inputs), *map(source.shape_of, run.shapes)]
    read = [value for value in (*run.inputs, *run.shapes) if source.held.get(source.locals[value]) is value]
    known = [value for value in (*run.inputs, *run.shapes) if value in source.shapes]
    position = len(source.lines)
    source.line("", run.nodes[0], indent)  # the call; what it gives is known below
    source.line("if computed is None:", None, indent)
    for node in run.nodes:
        write(node)
    written = [value for node in run.nodes for value in node.writes()]
    results = [value for value in written if source.held.get(source.locals[value]) is value]
    operands = [run.operands[value] for value in results]
    program = program_of(run.code, [run.operands[value] for value in run.inputs], operands)
    caller = source.constant(caller_of(program, len(run.shapes)), "pointwise")
    source.lines[position] = f"{'    ' * indent}computed = {caller}({', '.join(inputs)})"
    source.line("else:", None, indent)
    kept = [source.shapes[value] for value in (*read, *written) if value in source.shapes and value not in known]
    if kept:
        source.line(f"{' = '.join(kept)} = {inputs[0]}.shape", None, indent + 1)
    if results:
        source.line(f"{', '.join(map(source.local, results))}, = computed", None, indent + 1)
    gone = [local for local in map(source.local, read) if local not in source.held]
    source.line(f"del {', '.join(['computed', *gone])}", None, indent + 1)
