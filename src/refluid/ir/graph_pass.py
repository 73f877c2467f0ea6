"""Passes by name: what `core.get_pass` gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.ir.graph import Graph
from refluid.ir.graph_dot import write_dot


class Pass:
    """A rewriting of graphs with settings."""

    def __init__(self, name: str, work: Callable[[Graph, dict[str, Any]], None]):
        self._name, self._work = name, work
        self._settings: dict[str, Any] = {}

    def type(self) -> str:
        return self._name

    def has(self, name: str) -> bool:
        return name in self._settings

    def set(self, name: str, value: object) -> Pass:
        self._settings[name] = value
        return self

    set_not_owned = set

    def setting(self, name: str) -> Any:
        if name not in self._settings:
            raise ArgumentError(f"{self._name}: set {name!r} before the pass is applied")
        return self._settings[name]

    def apply(self, graph: Graph) -> Graph:
        self._work(graph, {name: self.setting(name) for name in _PASSES[self._name][1]})
        return graph


def _to_program(graph: Graph, settings: dict[str, Any]) -> None:
    settings["program"].of = graph.to_program()


def _to_dot(graph: Graph, settings: dict[str, Any]) -> None:
    marks = "__graphviz__marked_node__"
    write_dot(graph, Path(settings["graph_viz_path"]), graph.get(marks) if graph.has(marks) else ())


# What a pass does, and the settings that it needs.
_PASSES: dict[str, tuple[Callable[[Graph, dict[str, Any]], None], tuple[str, ...]]] = {
    "graph_to_program_pass": (_to_program, ("program",)),
    "graph_viz_pass": (_to_dot, ("graph_viz_path",)),
}


def get_pass(name: str) -> Pass:
    """The pass of this name. Those that fuse operators for a kernel library are not among them: plans fuse."""
    if name not in _PASSES:
        raise NotFoundError(f"get_pass: there is no pass {name!r}; there are {', '.join(_PASSES)}")
    return Pass(name, _PASSES[name][0])


class PassBuilder:
    """A list of passes, to be applied one after another."""

    def __init__(self) -> None:
        self._passes: list[Pass] = []

    def all_passes(self) -> list[Pass]:
        return list(self._passes)

    def append_pass(self, name: str) -> Pass:
        return self.insert_pass(len(self._passes), name)

    def insert_pass(self, index: int, name: str) -> Pass:
        made = get_pass(name)
        self._passes.insert(index, made)
        return made

    def remove_pass(self, index: int) -> None:
        del self._passes[index]
