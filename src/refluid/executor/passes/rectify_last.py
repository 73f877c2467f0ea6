"""Moves ReLU behind max pooling: both commute, and ReLU then has fewer elements to compute.

The gradient is the same too: where the maximum is not positive, ReLU blocks it in either order.
"""

from __future__ import annotations

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ops.activation.rectifiers import relu as relu_op, relu_grad as relu_grad_op


def rectify_last(graph: Graph) -> None:
    """pool(relu(x)) becomes relu(pool(x)), and their gradients are swapped too."""
    before: dict[Node, Node] = {}  # what comes right before or after a node that stays
    after: dict[Node, Node] = {}
    for node in graph.nodes:
        if node.op is not relu_op or not graph.own(node.output()) or not graph.own(node.inputs[0][0]):
            continue
        uses = _uses(graph, node)
        if uses is None:
            continue
        pool, pool_grad, relu_grad = uses
        x, out, largest = _swap(node, pool)
        after[pool] = node
        if pool_grad is not None and relu_grad is not None:
            _swap_gradients(pool_grad, relu_grad, x, out, largest)
            before[pool_grad] = relu_grad
    moved = {*before.values(), *after.values()}
    if moved:
        graph.rewrite(
            lambda node: [] if node in moved
            else [one for one in (before.get(node), node, after.get(node)) if one is not None]
        )  # fmt: skip


def _uses(graph: Graph, relu: Node) -> tuple[Node, Node | None, Node | None] | None:
    """The readers of a ReLU's output: a pooling, and the gradients of both or of neither; None if there are others."""
    output = relu.output()
    assert output is not None
    readers = list(output.readers)
    pools = [n for n in readers if n.op.rules.selects is not None and n.op.rules.selects(n.attrs)]
    pool_grads = [n for n in readers if n.op.forward is not None and n.op.forward.rules.selects is not None]
    relu_grads = [n for n in readers if n.op is relu_grad_op]
    if len(pools) != 1 or len(pool_grads) != len(relu_grads) or len(pool_grads) > 1:
        return None
    if len(readers) != len(pools) + len(pool_grads) + len(relu_grads) or any(n.region is not graph for n in readers):
        return None
    if not graph.own(pools[0].output()):
        return None
    if pool_grads and graph.only_reader(pool_grads[0].output()) is not relu_grads[0]:
        return None
    return pools[0], pool_grads[0] if pool_grads else None, relu_grads[0] if relu_grads else None


def _swap(relu: Node, pool: Node) -> tuple[Value, Value, Value]:
    x, out = relu.inputs[0][0], pool.output()
    assert x is not None and out is not None
    largest = Value(f"{out.name}@largest", out.variable)
    pool.read(0, [x])
    pool.give([[largest], *pool.outputs[1:]])
    relu.read(0, [largest])
    relu.give([[out]])
    return x, out, largest


def _swap_gradients(pool_grad: Node, relu_grad: Node, x: Value, out: Value, largest: Value) -> None:
    slots, relu_slots = pool_grad.op.input_index, relu_grad.op.input_index
    largest_grad = Value(f"{largest.name}@GRAD", out.variable)
    x_grad = relu_grad.outputs
    relu_grad.read(relu_slots["Out"], [out])
    relu_grad.read(relu_slots["Out@GRAD"], list(pool_grad.inputs[slots["Out@GRAD"]]))
    relu_grad.give([[largest_grad]])
    pool_grad.read(slots["X"], [x])
    pool_grad.read(slots["Out@GRAD"], [largest_grad])
    pool_grad.give(x_grad)
    relu_grad.owners, pool_grad.owners = pool_grad.owners, relu_grad.owners
