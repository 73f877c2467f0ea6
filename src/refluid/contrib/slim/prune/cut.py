"""Pruning of filters in a graph, with everything that belongs to them: what reads them, biases, accumulators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from refluid.contrib.slim.graph.wrapper import GraphWrapper, OpWrapper, VarWrapper
from refluid.contrib.slim.prune.pruner import StructurePruner


@dataclass(frozen=True)
class Channels:
    """Removed channels of a variable; `start` is the offset of their part of a concatenation."""

    gone: np.ndarray
    start: int = 0

    def moved(self, by: int) -> Channels:
        return Channels(self.gone + by, self.start + by)

    def rows(self, size: int) -> Channels:
        """The rows of a matrix, `size` for each channel."""
        return Channels((self.gone[:, None] * size + np.arange(size)).ravel(), self.start * size)


class Cut:
    """One pruning of a graph: say what is cut with `filters`, then `apply`.

    A parameter is cut once along an axis, but once for each part of a concatenation.
    """

    def __init__(self, graph: GraphWrapper, scope: Any, pruner: StructurePruner):
        self._graph, self._scope, self._pruner = graph, scope, pruner
        self._parts: dict[tuple[str, int], dict[int, np.ndarray]] = {}  # (name, axis): {start: indices}

    def filters(self, param: VarWrapper, ratio: float) -> None:
        """Prune a fraction of the filters of a convolution, those of the smallest norms."""
        if (param.name(), 0) in self._parts:
            return
        left = np.delete(self._value(param), self._indices(param.name(), 1), axis=1)
        chosen = Channels(np.asarray(self._pruner.cal_pruned_idx(param.name(), left, ratio, axis=0)))
        self._note([param], chosen, 0)
        gone: dict[str, Channels] = {}
        for op in forward_path(self._graph, param):
            entering = next((gone[name] for name in op._op.input_arg_names if name in gone), chosen)
            leaving = entering if param in op.all_inputs() else self._follow(op, entering, gone)
            gone.update(dict.fromkeys(op._op.output_arg_names, leaving))

    def _follow(self, op: OpWrapper, channels: Channels, gone: dict[str, Channels]) -> Channels:
        """Note the parameters of an operator whose input lacks channels; the channels that its output lacks."""
        params = [var for var in op.all_inputs() if self._graph.is_parameter(var)]
        if op.type() == "conv2d":
            self._note(params, channels, 1)
        elif op.type() in ("depthwise_conv2d", "elementwise_add", "batch_norm"):
            moments = [*op.inputs("Mean"), *op.inputs("Variance")] if op.type() == "batch_norm" else []
            self._note([*params, *(var for var in moments if var not in params)], channels, 0)
        elif op.type() == "mul":
            self._note(params, channels.rows(int(np.prod(op.inputs("X")[0].shape()[2:]))), 0)
        elif op.type() == "concat":
            names = op._op.input_arg_names
            before = names[: next(i for i, name in enumerate(names) if name in gone)]
            return channels.moved(sum(self._graph.var(name).shape()[1] for name in before))
        return channels

    def _note(self, params: list[VarWrapper], channels: Channels, axis: int) -> None:
        for param in params:
            self._parts.setdefault((param.name(), axis), {}).setdefault(channels.start, channels.gone)

    def _indices(self, name: str, axis: int) -> np.ndarray:
        parts = self._parts.get((name, axis), {}).values()
        return np.concatenate([np.zeros(0, int), *parts]).astype(int)

    def names(self, axis: int) -> list[str]:
        """The parameters that are cut along an axis."""
        return [name for name, along in self._parts if along == axis]

    def apply(
        self, place: Any, lazy: bool = False, only_graph: bool = False, values: dict | None = None,
        shapes: dict | None = None,
    ) -> None:  # fmt: skip
        """Cut the parameters and what their optimizer remembers of them.

        Args:
            lazy: set what is pruned to zeros, and keep all shapes.
            only_graph: change the shapes of variables, but not their values.
            values, shapes: where what is changed is kept, if given.
        """
        for name, axis in self._parts:
            param = self._graph.var(name)
            for var in [param, *self._accumulators(param)]:
                value = self._value(var)
                cut = self._pruner.prune_tensor(value, self._indices(name, axis), axis, lazy=lazy)
                if values is not None:
                    values.setdefault(var.name(), value)
                if shapes is not None:
                    shapes.setdefault(var.name(), var.shape())
                if not only_graph:
                    self._scope.find_var(var.name()).get_tensor().set(cut, place)
                var.set_shape([cut.shape[i] if i == axis else size for i, size in enumerate(var.shape())])

    def _accumulators(self, param: VarWrapper) -> list[VarWrapper]:
        written = [var for op in param.outputs() if op.is_opt_op() for var in op.all_outputs()]
        rank = len(param.shape())
        return [
            v for v in written if v != param and v._var.persistable and len(v.shape()) == rank and v.shape() != (1,)
        ]

    def _value(self, var: VarWrapper) -> np.ndarray:
        return np.array(self._scope.find_var(var.name()).get_tensor())


def forward_path(graph: GraphWrapper, param: VarWrapper) -> list[OpWrapper]:
    """The operators that see the channels which a filter makes, each after one that it reads from.

    Another convolution, or a product, sees them and makes channels of its own.
    """
    readers: dict[str, list[OpWrapper]] = {}
    for op in graph.ops():
        if not op.is_bwd_op() and not op.is_opt_op():
            for name in op._op.input_arg_names:
                readers.setdefault(name, []).append(op)
    path: dict[OpWrapper, None] = {}
    todo = list(readers.get(param.name(), []))
    while todo:
        op = todo.pop()
        if op in path:
            continue
        path[op] = None
        if not (op.type() == "mul" or (op.type() == "conv2d" and param not in op.all_inputs())):
            todo += [reader for name in op._op.output_arg_names for reader in readers.get(name, [])]
    return list(path)
