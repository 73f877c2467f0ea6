"""Gradients that may be None: a value that a run did not use has none, as in the imperative mode, instead of zeros.

An optimizer skips such a parameter; zeros would apply its decay and momentum. Nones begin where a branch was not taken,
a loop had no iterations or an output was not used, and are passed on by sums and by operators that read one gradient.
Wherever something else reads the gradient, it is zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Body, Region
from refluid.executor.graph.value import Value, present
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.signature import GRAD_SUFFIX

if TYPE_CHECKING:
    from torch import Tensor

    from refluid.tensor.selected_rows import SelectedRows


def allow_none(region: Region, maybe_none: Collection[Value] = (), never: Collection[Value] = ()) -> set[Value]:
    """Note the gradients that may be None (`Body.optional`), and let nodes pass them on.

    Args:
        given: values that come from outside and may be None.
        never: values that must be there.
    Returns:
        All values that may be None.
    """
    values = {value for node in region.nodes for value in _begins(node) + _passes_on(node) if value not in never}
    values |= set(maybe_none)
    while refused := {
        value for node in region.nodes for value in node.reads() if value in values and not _takes(node, values)
    }:
        values -= refused
    for node in region.nodes:
        if node.body is not None and _may_not_run(node):
            node.body.optional = values.intersection(_begins(node))
            _allow_inside(node, node.body)
        elif node.op is sum_op and values.intersection(node.inputs[0]):
            node.kernel, node.label = sum_of_present, "sum_of_present"
        elif (grad := _given(node)) is not None and grad in values:
            node.kernel, node.label = _unless_none(node, grad), f"{node.op.type}_unless_none"
    return values


def _allow_inside(node: Node, body: Body) -> None:
    """Inside, the results that may be None outside may be; what the body carries is always there."""
    optional = {
        made for result, made in zip(present(node.outputs[:1]), body.results, strict=True)
        if made is not None and result in body.optional
    }  # fmt: skip
    allow_none(body, (), [value for value in body.outputs() if value not in optional])


def _may_not_run(gradient: Node) -> bool:
    flow = gradient.op.forward.control_flow if gradient.op.forward is not None else None
    return flow is not None and flow.may_not_run


def _begins(node: Node) -> list[Value]:
    """Gradients that a body may not have contributed to."""
    if node.body is None or not _may_not_run(node):
        return []
    results = zip(present(node.outputs[:1]), node.body.results, strict=True)
    return [value for value, made in results if made not in node.body.carried]


def _passes_on(node: Node) -> list[Value]:
    """Gradients that are None if the node's input gradient is."""
    if node.op is sum_op and node.kernel is None:
        return [value for value in node.outputs[0] if value]
    return [] if _given(node) is None else list(node.writes())


def _given(node: Node) -> Value | None:
    """The one gradient that an ordinary node reads, by its value; None if it is not so."""
    if node.kernel is not None or node.grouped or node.body is not None or node.op.rules.lods or node.op.inplace:
        return None
    grads = [value for value in present(node.inputs) if GRAD_SUFFIX in value.name]
    if len(grads) != 1 or grads[0] in node.shape_reads() or node.op is sum_op or len(node.inputs) > len(node.op.inputs):
        return None
    return grads[0]


def _takes(node: Node, values: set[Value]) -> bool:
    """Whether the node accepts None for its inputs among the values."""
    if node.op is sum_op and node.kernel is None:
        return node.output() in values or not values.issuperset(present(node.inputs[:1]))
    return values.issuperset(_passes_on(node)) if _given(node) is not None else False


def _unless_none(node: Node, value: Value) -> Callable:
    kernel = node.op.kernel
    slot = next(i for i, found in enumerate(node.inputs) if value in found)
    argument = next(i for i, param in enumerate(node.op.params) if param.slot == slot and param.kind == "value")
    nothing: Any = tuple(
        [None] * len(values) if slot.duplicable else None
        for slot, values in zip(node.op.outputs, node.outputs, strict=True)
    )
    if node.op.single:
        (nothing,) = nothing

    def run(*args: object, **kwargs: object) -> Any:
        one = args[argument]
        return nothing if one is None or (type(one) is list and one[0] is None) else kernel(*args, **kwargs)

    return run


def sum_of_present(X: list[Any]) -> Tensor | SelectedRows | None:
    """The sum of those that are not None; None if all are."""
    found = [one for one in X if one is not None]
    return sum_op.kernel(found) if len(found) > 1 else found[0] if found else None
