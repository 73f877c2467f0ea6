"""Backward: walks the graph from a variable and passes gradients on."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import torch

from refluid.core.errors import ModeError
from refluid.core.warn import warn_once
from refluid.eager.graph import FREED, Gathering, Gradient, Leaf, Node, Out, Stopped
from refluid.eager.variable import VarBase
from refluid.tensor.selected_rows import SelectedRows, add_all, to_dense

_by_order = attrgetter("order")


def run_backward(root: VarBase, retain_graph: bool = False) -> None:
    """The gradients of `root` with respect to everything that it was computed from."""
    from refluid.eager import base

    # The warnings have no names in them: those of results are new in every step, and each would be told anew.
    place = root._grad_node
    if place is None or type(place) is Leaf:
        # Fluid: there is nothing to go back through, and no gradient
        warn_once(
            "backward: this variable was not computed by operators that are remembered, so no gradient is made, as in "
            "Fluid; under no_grad(), after eval() of a layer and behind detach() nothing is remembered"
        )
        return
    if place.node.saved is FREED:
        warn_once(
            "backward: the graph behind this variable was freed by an earlier backward(), so this one changes nothing, "
            "as in Fluid; call backward(retain_graph=True) the first time, or compute the loss again"
        )
        return
    if root._t.numel() != 1:
        warn_once(
            f"backward: the loss has {root._t.numel()} elements (shape {list(root.shape)}); the gradients are those of "
            "their sum, as in Fluid; call fluid.layers.mean or reduce_sum first to say which you mean"
        )
    tape = base.tape()
    tape.end_step()
    nodes, reached = _collect(place.node, tape.zeros_where_stopped)
    root._reached = reached
    # Fluid: a loss that was stopped by hand gives zeros to everything behind it.
    stopped = root.stop_gradient and not place.node.stamp
    place.grad = torch.zeros_like(root._t) if stopped else torch.ones_like(root._t)
    sums: set[Any] = set()
    complete, homes = _watched(nodes, root._watch) if root._watch is not None else (None, {})
    tape.freeing = not retain_graph
    try:
        for node in nodes:
            try:
                _pass_on(node, sums, homes)
            finally:
                if not retain_graph:
                    node.saved = FREED
                    node.sources = ()
            if complete is not None and node in complete:
                for param in complete[node]:
                    root._watch.ready(param)
    finally:
        tape.freeing = False


def _watched(nodes: list[Node], watch: Any) -> tuple[dict[Node, list[Any]], dict[Any, torch.Tensor]]:
    """{node: the watched parameters whose gradients are complete once it has run}, {where a gradient gathers: home}.

    A watch has `leaves()`, {where a gradient gathers: its parameter}, `begin(parameters)`, which is told here,
    `ready(parameter)`, and `home(parameter)`: the memory that a gradient is best made in, where that is possible.
    """
    leaves = watch.leaves()
    last: dict[Any, Node] = {}
    for node in nodes:
        for source in node.sources:
            for origin in source if type(source) is list else (source,):
                if type(origin) is Leaf and origin in leaves:
                    last[origin] = node
    watch.begin(leaves[leaf] for leaf in last)
    complete: dict[Node, list[Any]] = {}
    for leaf, node in last.items():
        complete.setdefault(node, []).append(leaves[leaf])
    return complete, {leaf: watch.home(leaves[leaf]) for leaf in last}


def _collect(first: Node, zeros_where_stopped: bool) -> tuple[list[Node], list[Any]]:
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
            node.grads = [None] * len(node.grads)
        for source in node.sources:
            for origin in source if type(source) is list else (source,):
                kind = type(origin)
                if kind is Node:
                    if origin not in seen:
                        seen.add(origin)
                        if origin.stamp and not node.stamp:  # stop_gradient was set to False after it was made: a leaf
                            origin.grad = None
                        else:
                            stack.append(origin)
                elif kind is Leaf:
                    origin.grad = None
                    reached[id(origin)] = origin.var
                elif kind is Out:
                    if origin.node not in seen:
                        seen.add(origin.node)
                        if origin.node.stamp and not node.stamp:
                            origin.node.grads = [None] * len(origin.node.grads)
                        else:
                            stack.append(origin.node)
                elif origin is not None and zeros_where_stopped:  # Stopped
                    var = origin.var()
                    if var is not None:
                        var._reads_zeros = True
    nodes.sort(key=_by_order, reverse=True)
    return nodes, list(reached.values())


# Note [Sums in place]
# The gradient of an input may be the very tensor that another place has, or a view of it (elementwise_add gives both
# its inputs the same). What belongs to one place alone is known of two kinds: a sum of two gradients, and what an
# operator with an `adds` rule has made. Such places stand in `sums`, and further gradients are added to them in place.


def _pass_on(node: Node, sums: set[Any], homes: dict[Any, torch.Tensor]) -> None:
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
        grads = _take(node, outs)
        if grads is None:
            return
    recipe = node.recipe
    needs = recipe.needs(node.sources) if recipe.wants_needs else None
    if recipe.adding:
        needs = _add_in_place(node, grads, needs, sums, homes)
        if True not in needs:
            return
    results = recipe.back(node.saved, grads, node.attrs, needs)
    if recipe.single:
        results = (results,)
    for source, result in zip(node.sources, results):
        if result is None or source is None:
            continue
        if type(source) is list:
            for origin, part in zip(source, result):
                if origin is not None and part is not None:
                    _add(origin, part, sums)
        elif type(source) is not Stopped:
            if source.grad is None:
                source.grad = result
            else:
                _add(source, result, sums)


def _add_in_place(
    node: Node, grads: object, needs: tuple[bool, ...] | None, sums: set[Any], homes: dict[Any, torch.Tensor]
) -> tuple[bool, ...]:
    """Add to sums what the operator can add without making it first; returns which gradients are still wanted.

    A gradient with a home begins there with zeros, so that nobody has to copy it later.
    """
    recipe = node.recipe
    left = list(recipe.needs(node.sources) if needs is None else needs)
    for i, add in recipe.adding.items():
        source = node.sources[i]
        if not left[i]:
            continue
        if source.grad is None:
            sums.add(source)
            if source in homes and add(homes[source].zero_(), node.saved, grads, node.attrs):
                source.grad = homes[source]
                left[i] = False
        elif source in sums and type(source.grad) is torch.Tensor:
            left[i] = not add(source.grad, node.saved, grads, node.attrs)
    return tuple(left)


def _take(node: Node, outs: Sequence[Any]) -> list[Any] | None:
    """The gradients of several outputs by slot, None if there are none; those of dead variables are freed."""
    row = node.grads
    if all([grad is None for grad in row]):  # `row.count` would compare tensors
        return None
    grads = [None if i is None else [row[k] for k in i] if type(i) is list else row[i] for i in outs]
    for i, var in enumerate(node.vars):
        held = None if var is None else var()
        if held is None:
            row[i] = None
        elif row[i] is None:
            row[i] = torch.zeros_like(held._t)  # Fluid: what the loss does not use of a used call
    return grads


def _add(place: Gathering, grad: Gradient | None, sums: set[Any]) -> None:
    if type(place) is Stopped:
        return
    if place.grad is None:
        place.grad = grad
    elif place in sums and type(place.grad) is type(grad) is torch.Tensor:
        place.grad.add_(grad)
    else:
        place.grad = add_gradients(place.grad, grad)
        sums.add(place)


def add_gradients(a: Any, b: Any) -> Gradient:
    """The sum of two gradients, each dense or sparse."""
    if type(a) is SelectedRows:
        return add_all([a, b]) if type(b) is SelectedRows else to_dense(a).add_(b)
    if type(b) is SelectedRows:
        return a + to_dense(b)
    return a + b
