"""Backward: walks the graph from a variable and passes gradients on."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import torch

from refluid.core.errors import ModeError
from refluid.core.warn import warn_once
from refluid.eager.graph import FREED, Accumulator, Gradient, Leaf, Node, Out, Stopped, Watch
from refluid.eager.postponed import Postponed
from refluid.eager.variable import VarBase
from refluid.tensor.selected_rows import SelectedRows, add_all, to_dense

_by_order = attrgetter("order")


def run_backward(root: VarBase, retain_graph: bool = False) -> None:
    """The gradients of `root` with respect to everything that it was computed from."""
    from refluid.eager import base

    # The warnings have no names in them: those of results are new in every step, and each would be a new warning.
    accumulator = root._grad_node
    if accumulator is None or type(accumulator) is Leaf:
        # Fluid: there is nothing to go back through, and no gradient
        warn_once(
            "backward: this variable was not computed by operators that are remembered, so no gradient is made, as in "
            "Fluid; under no_grad(), after eval() of a layer and behind detach() nothing is remembered"
        )
        return
    if accumulator.node.saved is FREED:
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
    nodes, reached = _collect(accumulator.node, tape.zeros_where_stopped)
    root._reached = reached
    # Fluid: a loss that was stopped by hand gives zeros to everything behind it.
    stopped = root.stop_gradient and not accumulator.node.stamp
    accumulator.grad = torch.zeros_like(root._t) if stopped else torch.ones_like(root._t)
    sums: set[Any] = set()
    watch = root._watch
    complete, buffers = _watched(nodes, watch) if watch is not None else ({}, {})
    tape.freeing = not retain_graph
    postponing = watch is None and not retain_graph
    try:
        for node in nodes:
            try:
                _pass_on(node, sums, buffers, postponing)
            finally:
                if not retain_graph:
                    node.saved = FREED
                    node.sources = ()
            if watch is not None and node in complete:
                for param in complete[node]:
                    watch.ready(param)
    finally:
        tape.freeing = False


def _watched(nodes: list[Node], watch: Watch) -> tuple[dict[Node, list[Any]], dict[Any, torch.Tensor]]:
    """{node: the watched parameters whose gradients are complete once it has run}, {accumulator: buffer}."""
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
    return complete, {leaf: watch.buffer(leaves[leaf]) for leaf in last}


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


# Note [Sums in place] The gradient of an input may be the very tensor that another accumulator has, or a view of it
# (elementwise_add gives both its inputs the same). Two kinds of gradients belong to one accumulator alone: a sum of two
# gradients, and the result of an operator with an `adds` rule. Their accumulators are in `sums`, and further gradients
# are added to them in place.


def _pass_on(node: Node, sums: set[Any], buffers: dict[Any, torch.Tensor], postponing: bool) -> None:
    """Run the gradient of one call and add its results to where they belong, but for what is computed later."""
    outs = node.outs
    grads: Any
    if outs is None:
        grads = node.grad
        if grads is None:
            return
        if type(grads) is SelectedRows:
            grads = to_dense(grads)
        if node.var is None or node.var() is None:
            node.grad = None
    else:
        grads = _take(node, outs)
        if grads is None:
            return
    recipe = node.recipe
    needs = recipe.needs(node.sources) if recipe.wants_needs else None
    if postponing and needs is not None and recipe.postponable is not None and needs[recipe.postponable.weight]:
        needs = _postpone(node, grads, needs, sums)
    if recipe.adding:
        needs = _add_in_place(node, grads, needs, sums, buffers)
    if needs is not None and True not in needs:
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


_LARGE = 1 << 20  # bytes of a weight whose gradient is worth postponing


def _postpone(node: Node, grads: object, needs: tuple[bool, ...], sums: set[Any]) -> tuple[bool, ...]:
    """Leave the gradient of a large weight to who reads it, if it can be; returns which gradients are still wanted."""
    recipe, rule = node.recipe, node.recipe.postponable
    leaf, read = node.sources[rule.weight], node.saved[rule.saved]
    weight = leaf.var() if type(leaf) is Leaf and leaf.held is None else None
    if weight is None or type(grads) is not torch.Tensor:
        return needs
    size = weight._t.nbytes
    if size < _LARGE or 2 * (read.untyped_storage().nbytes() + grads.untyped_storage().nbytes()) > size:
        return needs
    if (rule.unless and node.attrs.get(rule.unless)) or not _has_own_memory(node.sources[rule.reads]):
        return needs
    alone = tuple([i == rule.weight for i in range(len(needs))])
    compute = functools.partial(_one_of, recipe.back, node.saved, grads, node.attrs, alone)
    leaf.held = Postponed(f"{recipe.op.type}_grad", compute, (read, grads))
    sums.add(leaf)
    return tuple([needed and i != rule.weight for i, needed in enumerate(needs)])


def _one_of(back: Any, saved: object, grads: torch.Tensor, attrs: dict, alone: tuple[bool, ...]) -> torch.Tensor:
    """The only gradient that is wanted."""
    return back(saved, grads, attrs, alone)[alone.index(True)]


def _has_own_memory(origin: object) -> bool:
    """Whether a value was made by an operator and shares no memory with a parameter or an array of the user."""
    while isinstance(origin, Node | Out):
        recipe = origin.node.recipe
        if recipe.op.fresh:
            return True
        if len(recipe.op.views) != 1 or recipe.op.views[0] not in recipe.slots:
            return False
        origin = origin.node.sources[recipe.slots.index(recipe.op.views[0])]
    return False


def _add_in_place(
    node: Node, grads: object, needs: tuple[bool, ...] | None, sums: set[Any], buffers: dict[Any, torch.Tensor]
) -> tuple[bool, ...]:
    """Add to sums what the operator can add without making it first; returns which gradients are still wanted.

    A gradient with a buffer is accumulated there, from zeros, so that it need not be copied later.
    """
    recipe = node.recipe
    left = list(recipe.needs(node.sources) if needs is None else needs)
    for i, add in recipe.adding.items():
        source = node.sources[i]
        if not left[i]:
            continue
        if source.grad is None:
            sums.add(source)
            if source in buffers and add(buffers[source].zero_(), node.saved, grads, node.attrs):
                source.grad = buffers[source]
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


def _add(accumulator: Accumulator, grad: Gradient, sums: set[Any]) -> None:
    if type(accumulator) is Stopped:
        return
    if accumulator.grad is None:
        accumulator.grad = grad
    elif accumulator in sums and type(accumulator.grad) is type(grad) is torch.Tensor:
        accumulator.grad.add_(grad)
    else:
        accumulator.grad = add_gradients(accumulator.grad, grad)
        sums.add(accumulator)


def add_gradients(a: Gradient, b: Gradient) -> Gradient:
    """The sum of two gradients, each dense or sparse."""
    if isinstance(a, SelectedRows):
        return add_all([a, b]) if isinstance(b, SelectedRows) else to_dense(a).add_(b)
    if isinstance(b, SelectedRows):
        return a + to_dense(b)
    return a + b
