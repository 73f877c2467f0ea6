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
    held, shapes = dict(source.held), set(source.shapes)
    computed = source.unique("computed")
    at = len(source.lines)
    source.line("", run.nodes[0], indent)  # the call; what it gives is known below
    source.line(f"if {computed} is None:", None, indent)
    for node in run.nodes:
        write(node)
    results = {local: value for local, value in source.held.items() if held.get(local) is not value}
    operands = [run.operands[value] for value in results.values()]
    program = program_of(run.code, [run.operands[value] for value in run.inputs], operands)
    caller = source.constant(caller_of(program, len(run.shapes)), "pointwise")
    source.lines[at] = f"{'    ' * indent}{computed} = {caller}({', '.join(inputs)})"
    source.line("else:", None, indent)
    made = [local for value, local in source.shapes.items() if value not in shapes]
    if made:
        source.line(f"{' = '.join(made)} = {inputs[0]}.shape", None, indent + 1)
    if results:
        source.line(f"{', '.join(results)}, = {computed}", None, indent + 1)
    gone = [local for local in held if local not in source.held]
    source.line(f"del {', '.join([computed, *gone])}", None, indent + 1)
