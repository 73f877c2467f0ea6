"""Backward: walks the graph from a variable and passes gradients on."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import torch

from refluid.core.errors import ModeError, ShapeError
from refluid.eager.graph import FREED, Leaf, Node, Out, Stopped
from refluid.eager.variable import VarBase
from refluid.tensor.selected_rows import SelectedRows, add_all, to_dense

_by_order = attrgetter("order")


def run_backward(root: VarBase, retain_graph: bool = False) -> None:
    """The gradients of `root` with respect to everything that it was computed from."""
    from refluid.eager.base import tape

    if math.prod(root.shape) != 1 and not isinstance(root._t, torch.Tensor):
        raise ShapeError(f"backward: {root.name} must be a tensor")
    place = root._grad_node
    if place is None or type(place) is Leaf:
        root._as_leaf().grad = torch.ones_like(root._t)
        return
    tape.step += 1
    nodes, reached = _collect(place.node)
    root._reached = reached
    place.grad = torch.ones_like(root._t)
    for node in nodes:
        _pass_on(node)
        if not retain_graph:
            node.saved = FREED
            node.sources = ()


def _collect(first: Node) -> tuple[list[Node], list[Any]]:
    """All nodes in the order in which to run them, with gradients of an earlier pass cleared."""
    seen = {first}
    stack = [first]
    nodes = []
    reached: dict[int, Any] = {}
    while stack:
        node = stack.pop()
        if node.saved is FREED:
            raise ModeError(
                f"backward: the graph behind {node.recipe.op.type} was freed by an earlier backward(); "
                "call backward(retain_graph=True) the first time, or compute the loss again"
            )
        nodes.append(node)
        node.grad = None
        if node.outs is not None:
            for out in node.outs:
                for one in out if type(out) is list else (out,):
                    one.grad = None
        for source in node.sources:
            for one in source if type(source) is list else (source,):
                kind = type(one)
                if kind is Node:
                    if one not in seen:
                        seen.add(one)
                        stack.append(one)
                elif kind is Leaf:
                    one.grad = None
                    reached[id(one)] = one.var
                elif kind is Out:
                    if one.node not in seen:
                        seen.add(one.node)
                        stack.append(one.node)
                elif one is not None:  # Stopped
                    var = one.var()
                    if var is not None:
                        var._took_part = True
    nodes.sort(key=_by_order, reverse=True)
    return nodes, list(reached.values())


def _pass_on(node: Node) -> None:
    """Run the gradient of one call and add its results to where they belong."""
    outs = node.outs
    grads: Any
    if outs is None:
        grads = node.grad
        if grads is None:
            return
        if type(grads) is SelectedRows:
            grads = to_dense(grads)
        if node.var() is None:
            node.grad = None
    else:
        grads = [_take(out) for out in outs]
        if all(g is None or (type(g) is list and all(one is None for one in g)) for g in grads):
            return
    recipe = node.recipe
    needs = recipe.needs(node.sources) if recipe.wants_needs else None
    results = recipe.back(node.saved, grads, node.attrs, needs)
    if recipe.single:
        results = (results,)
    for source, result in zip(node.sources, results):
        if result is None or source is None:
            continue
        if type(source) is list:
            for one, part in zip(source, result):
                if one is not None and part is not None:
                    _add(one, part)
        elif type(source) is not Stopped:
            if source.grad is None:
                source.grad = result
            else:
                source.grad = add_gradients(source.grad, result)


def _take(out: Any) -> Any:
    if type(out) is list:
        return [_take(one) for one in out]
    grad = out.grad
    if out.var is None or out.var() is None:
        out.grad = None
    return grad


def _add(place: Any, grad: Any) -> None:
    if type(place) is Stopped:
        return
    if place.grad is None:
        place.grad = grad
    else:
        place.grad = add_gradients(place.grad, grad)


def add_gradients(a: Any, b: Any) -> Any:
    """The sum of two gradients, each dense or sparse."""
    if type(a) is SelectedRows:
        return add_all([a, b]) if type(b) is SelectedRows else to_dense(a).add_(b)
    if type(b) is SelectedRows:
        return a + to_dense(b)
    return a + b
