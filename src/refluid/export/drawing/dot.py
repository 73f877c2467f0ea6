"""Graphs as text for graphviz, node by node (paddle.fluid.graphviz)."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any


def crepr(v: object) -> str:
    """A value as graphviz reads it: strings in quotes."""
    return json.dumps(v, ensure_ascii=False) if isinstance(v, str) else str(v)


def _attributes(attrs: dict[str, Any]) -> str:
    return ",".join(f"{key}={crepr(value)}" for key, value in attrs.items())


class Node:
    """A node with a label, which is graphviz's own text: quoted, or <html>."""

    _numbers = itertools.count(1)

    def __init__(self, label: str, prefix: str, description: str = "", **attrs: object):
        self.label, self.description, self.attrs = label, description, attrs
        self.name = f"{prefix}_{next(Node._numbers)}"

    def __str__(self) -> str:
        more = f" ,{_attributes(self.attrs)}" if self.attrs else ""
        return f"{self.name} [label={self.label}{more} ];"


class Edge:
    def __init__(self, source: Node, target: Node, **attrs: object):
        self.source, self.target, self.attrs = source, target, attrs

    def __str__(self) -> str:
        more = f" [{_attributes(self.attrs)}]" if self.attrs else ""
        return f"{self.source.name} -> {self.target.name}{more}"


class Rank:
    """Nodes that are drawn on one line, or in another order that graphviz calls a rank."""

    def __init__(self, kind: str, name: str, priority: int):
        self.kind, self.name, self.priority = kind, name, priority
        self.nodes: list[Node] = []

    def __str__(self) -> str:
        return f"{{rank={self.kind};{','.join(node.name for node in self.nodes)}}}" if self.nodes else ""


class Graph:
    """Nodes and edges; `code()` is the text, `compile(path)` writes it, and a PDF where graphviz is installed."""

    _numbers = itertools.count()

    def __init__(self, title: str, **attrs: object):
        self.title, self.attrs = title, attrs
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.rank_groups: dict[str, Rank] = {}

    def rank_group(self, kind: str, priority: int) -> str:
        """A new rank, for `node(rank=...)`."""
        name = f"rankgroup-{next(Graph._numbers)}"
        self.rank_groups[name] = Rank(kind, name, priority)
        return name

    def node(self, label: str, prefix: str, description: str = "", rank: str | None = None, **attrs: object) -> Node:
        made = Node(label, prefix, description, **attrs)
        self.nodes.append(made)
        if rank is not None:
            self.rank_groups[rank].nodes.append(made)
        return made

    def edge(self, source: Node, target: Node, **attrs: object) -> Edge:
        self.edges.append(Edge(source, target, **attrs))
        return self.edges[-1]

    def code(self) -> str:
        ranks = sorted(self.rank_groups.values(), key=lambda rank: rank.priority)
        lines = ["digraph G {", f"title = {crepr(self.title)}"]
        lines += [f"{key}={crepr(value)};" for key, value in self.attrs.items()]
        lines += [str(one) for one in (*ranks, *self.nodes, *self.edges)]
        return "\n".join([*(line for line in lines if line), "}"])

    __str__ = code

    def compile(self, dot_path: str) -> str:
        """Write the text; returns the path of the PDF, which `dot` makes if it is installed."""
        image = str(Path(dot_path).with_suffix(".pdf"))
        Path(dot_path).write_text(self.code(), encoding="utf-8")
        if shutil.which("dot"):
            subprocess.run(["dot", "-Tpdf", dot_path, "-o", image], check=True)
        return image

    def show(self, dot_path: str) -> None:
        """Write the text and open the PDF, where there is one."""
        image = self.compile(dot_path)
        opener = shutil.which("open") or shutil.which("xdg-open")
        if opener and Path(image).exists():
            subprocess.run([opener, image], check=True)


class GraphPreviewGenerator:
    """A graph of operators, parameters and other variables; calling it with a path writes it."""

    _FONT = {"fontname": "Arial"}

    def __init__(self, title: str):
        self.graph = Graph(title, layout="dot", concentrate="true", rankdir="TB")
        self.op_rank = self.graph.rank_group("same", 2)
        self.param_rank = self.graph.rank_group("same", 1)
        self.arg_rank = self.graph.rank_group("same", 0)

    def __call__(self, path: str = "temp.dot", show: bool = False) -> None:
        (self.graph.show if show else self.graph.compile)(path)

    def add_param(self, name: str, data_type: object, highlight: bool = False) -> Node:
        rows = f'<tr><td bgcolor="#2b787e"><b>{name}</b></td></tr><tr><td>{data_type}</td></tr>'
        label = f'<<table cellpadding="5">{rows}</table>>'
        return self._node(label, "param", name, "orange" if highlight else "#148b97", shape="none", fontcolor="#ffffff")

    def add_op(self, opType: str, highlight: bool = False, **kwargs: object) -> Node:
        colour = "orange" if highlight else "#303A3A"
        return self._node(f"<<B>{opType}</B>>", "op", opType, colour, shape="box", fontcolor="#ffffff", **kwargs)

    def add_arg(self, name: str, highlight: bool = False) -> Node:
        colour = "orange" if highlight else "#dddddd"
        return self._node(crepr(name), "arg", name, colour, shape="box", fontcolor="#999999")

    def add_edge(self, source: Node, target: Node, highlight: bool = False, **kwargs: object) -> Edge:
        return self.graph.edge(source, target, color="orange" if highlight else "#000000", **kwargs)

    def _node(self, label: str, prefix: str, description: str, color: str, **attrs: Any) -> Node:
        style = {"style": "rounded,filled,bold", "color": color, **self._FONT, **attrs}
        return self.graph.node(label, prefix, description, **style)
