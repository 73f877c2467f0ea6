"""The operators of programs and the variables between them, drawn for graphviz (paddle.fluid.net_drawer)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from refluid.export.drawing.dot import Edge, Graph, Node, crepr
from refluid.ir.operator import Operator
from refluid.ir.program import Program

OP_STYLE = {"shape": "oval", "color": "#0F9D58", "style": "filled", "fontcolor": "#FFFFFF"}
VAR_STYLE: dict[str, Any] = {}
GRAPH_STYLE = {"rankdir": "TB"}
_numbers = itertools.count(1)


def unique_id() -> int:
    """The number of the next graph."""
    return next(_numbers)


def draw_node(graph: Graph, op: Operator) -> Node:
    """The node of an operator."""
    return graph.node(crepr(op.type), "op", op.type, **OP_STYLE)


def draw_edge(graph: Graph, writer: Node, reader: Node, slot: str, name: str) -> Edge:
    """The edge of a variable from the operator that writes it to one that reads it."""
    return graph.edge(writer, reader, label=f"{slot}({name})", **VAR_STYLE)


def parse_graph(program: Program, graph: Graph, var_dict: dict[str, Node], **kwargs: object) -> None:
    """Add the operators of a program's global block; `var_dict` has who wrote a variable last."""
    for op in program.global_block().ops:
        node = draw_node(graph, op)
        for slot, names in op.inputs.items():
            for name in names:
                if name not in var_dict:
                    var_dict[name] = graph.node(crepr("Feed"), "feed", "Feed", **OP_STYLE)
                draw_edge(graph, var_dict[name], node, slot, name)
        var_dict.update({name: node for name in op.output_arg_names})


def draw_graph(
    startup_program: Program,
    main_program: Program,
    filename: str | None = None,
    graph_attr: Mapping[str, Any] | None = None,
    **kwargs: object,
) -> Graph:
    """Write the graph of both programs, the first one above the other, to `filename` ('<number>.gv'); returns it."""
    number = unique_id()
    graph = Graph(str(number), **{**GRAPH_STYLE, **(graph_attr or {})})
    writers: dict[str, Node] = {}
    for program in (startup_program, main_program):
        parse_graph(program, graph, writers)
    graph.compile(f"{number}.gv" if filename is None else filename)
    return graph
