"""The graph of a program as text for graphviz: operators are boxes, variables ellipses."""

from __future__ import annotations

import json

from refluid.ir.operator import EMPTY
from refluid.ir.program import Program


def write_graph(program: Program, path: str) -> None:
    """Write the graph of the program's global block; `dot -Tsvg` draws it."""
    lines, seen = ["digraph program {"], set()
    for number, op in enumerate(program.global_block().ops):
        lines.append(f"  op{number} [shape=box, style=filled, label={json.dumps(op.type)}];")
        for names, edge in ((op.input_arg_names, "{var} -> op{n};"), (op.output_arg_names, "op{n} -> {var};")):
            for name in dict.fromkeys(names):
                if name == EMPTY:
                    continue
                if name not in seen:
                    seen.add(name)
                    lines.append(f"  {json.dumps(name)};")
                lines.append("  " + edge.format(var=json.dumps(name), n=number))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "}"]) + "\n")
