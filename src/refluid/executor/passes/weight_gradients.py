"""One matrix product instead of many: the gradient of a weight that is used repeatedly (an unrolled loop).

The sum of X_i'.G_i over all uses is the product of all X_i stacked with all G_i stacked. The
gradient of a bias that goes with the weight is the sum of the rows of the latter.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value, present
from refluid.ops.math.elementwise import elementwise_add_grad
from refluid.ops.math.matmul import matmul_grad
from refluid.ops.math.mul import mul_grad
from refluid.ops.math.products import weight_grad
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.registry import Tensor, define


def stack_weight_gradients(graph: Graph) -> None:
    """`sum` of gradients of one matrix, each made by a matmul_grad or mul_grad for it alone, becomes one product."""
    sums = [node for node in graph.nodes if node.op is sum_op]
    position = {node: i for i, node in enumerate(graph.nodes)} if sums else {}
    products = {node: parts for node in sums if (parts := _parts(graph, node, _is_product))}
    # Sums of gradients of a bias, by the gradients of what it was added to.
    biases = {
        frozenset(part.outputs[0][0] for part in parts): (node, parts)
        for node in sums if (parts := _parts(graph, node, _is_bias))
    }  # fmt: skip
    replaced: dict[Node, list[Node]] = {}
    for node, parts in products.items():
        xs = [part.input("X") for part in parts]
        grads = [part.input("Out@GRAD") for part in parts]
        if any(_changed(value) for value in (*xs, *grads)):
            continue
        outputs, place = [node.outputs[0], []], node
        other, adding = biases.get(frozenset(grads), (node, []))
        if adding and all(_first_reader(one, position) > max(position[node], position[other]) for one in (node, other)):
            outputs[1], place = other.outputs[0], max(node, other, key=position.__getitem__)
            replaced[other] = []
        for part in (*parts, *(adding if outputs[1] else ())):
            part.outputs[1] = []
        replaced[node] = []
        replaced[place] = [Node(Stacked, node.operator, [xs, grads], outputs, {}, label="product_of_stacked")]
    if replaced:
        graph.rewrite(replaced.get)
        graph.rewrite(lambda node: None if _gives(node) else [])


def _parts(graph: Graph, node: Node, fits: Callable[[Node, Value], bool]) -> list[Node]:
    """The nodes that compute the terms of a `sum`, if all of them match and nothing else reads the terms."""
    values, total = [value for value in node.inputs[0] if value], node.output()
    # A sum over places (replicate.py) overwrites the variable of the first: their inputs are not kept until the last.
    if len(values) < 2 or total is None or any(value.variable is total.variable for value in values):
        return []
    makers = [(graph.only_for(value), value) for value in values]
    parts = [maker for maker, value in makers if maker is not None and fits(maker, value)]
    return parts if len(parts) == len(values) else []


def _changed(value: Value | None) -> bool:
    """Whether a node overwrites the value, which the product reads later than its parts did."""
    return value is None or any(value.overwriters())


def _first_reader(node: Node, position: dict[Node, int]) -> int:
    readers = (position.get(reader, -1) for value in node.writes() for reader in value.readers)
    return min(readers, default=len(position))


def _is_product(node: Node, value: Value) -> bool:
    """Whether the node computes X'.Out@GRAD as this value."""
    if node.op is matmul_grad:
        flat = not node.attrs["transpose_X"] and not node.attrs["transpose_Y"] and node.attrs["alpha"] == 1.0
    elif node.op is mul_grad:
        flat = node.attrs["y_num_col_dims"] == 1
    else:
        return False
    if not flat or node.outputs[1] != [value]:
        return False
    x, y = node.input("X"), node.input("Y")
    if x is None or y is None or x.variable is None or y.variable is None:
        return False
    columns = len(x.shape) - 1 if node.op is matmul_grad else node.attrs["x_num_col_dims"]
    return len(y.shape) == 2 and len(x.shape) >= 2 and columns == len(x.shape) - 1


def _is_bias(node: Node, value: Value) -> bool:
    """Whether the node gives the gradient of a vector that was added to every row, and that of the rows unchanged."""
    if node.op is not elementwise_add_grad or node.outputs[1] != [value] or not any(node.outputs[0]):
        return False
    x, y = node.input("X"), node.input("Y")
    if x is None or y is None or len(x.shape) < 2 or len(y.shape) != 1:
        return False
    return node.attrs["axis"] in (-1, len(x.shape) - 1) and x.shape[-1] == y.shape[0] > 0


def _gives(node: Node) -> bool:
    return node.body is not None or node.op.side_effect or any(True for _ in present(node.outputs))


def _product(X: list[Tensor], G: list[Tensor], *, needs: tuple[bool, ...]) -> tuple[Tensor | None, Tensor | None]:
    """The sum of X_i'.G_i, with all axes of each but the last as rows, and the sum of all rows of the G_i."""
    grads = torch.cat([g if g.dim() == 2 else g.flatten(0, -2) for g in G])
    weight = weight_grad(torch.cat([x if x.dim() == 2 else x.flatten(0, -2) for x in X]), grads)
    return weight, grads.sum(0) if needs[1] else None


# Not registered: it exists in plans only.
Stacked = define(_product, "Out Bias", type="product_of_stacked", dispensable="Bias", lod=None, nograd="*")
