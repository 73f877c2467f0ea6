"""A graph as a file of the drawing program `dot`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

from refluid.ir.graph import Graph, Node


def write_dot(graph: Graph, path: Path, marked: Collection[Node] = (), pdf: bool = False) -> None:
    """Write the graph to `path`; `marked` nodes are yellow. With `pdf`, also draw it where `dot` is installed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["digraph G {"]
    for node in graph.ordered_nodes():
        lines.append(f"  node_{node.id()} [{_look(node, node in marked)}]")
    for node in graph.ordered_nodes():
        lines += [f"  node_{node.id()} -> node_{reader.id()}" for reader in node.outputs]
    path.write_text("\n".join([*lines, "}", ""]))
    if pdf and not _draw(path):
        print(f"The program dot, which draws PDF files, is not installed; the graph is in {path}.")


def _look(node: Node, marked: bool) -> str:
    var = node.var()
    label = f"{node.name()} ({node.id()})"
    if var is not None:
        label += "\\n" + ",".join(str(size) for size in var.shape())
    if marked:
        colours = 'style="filled" fillcolor="yellow"'
    elif node.is_op():
        colours = 'style="rounded,filled" fillcolor="#303A3A" fontcolor="#ffffff"'
    elif var is not None and var.persistable():
        colours = 'style="rounded,filled" fillcolor="#148b97" fontcolor="#ffffff"'
    else:
        colours = 'style="rounded,filled" fillcolor="#dddddd"'
    return f'label="{label}" shape="box" {colours}'


def _draw(path: Path) -> bool:
    dot = shutil.which("dot")
    if dot is None:
        return False
    return subprocess.call([dot, "-Tpdf", str(path), "-o", str(path.with_suffix(".pdf"))]) == 0
