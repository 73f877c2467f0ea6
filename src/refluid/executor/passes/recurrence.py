"""Hoists the input projection of a recurrent network out of its steps.

A cell that is written out step by step computes [x_t, h_t].W + b, where h_t comes from the step before. The part of the
x_t is the same product for all steps: it is computed for all of them at once, before the first one. What is left for
each step is h_t times a part of W, which fits the cache better, and nothing is joined. The gradients of the x_t are one
product, too, after the last step.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value, Values
from refluid.executor.passes.bias import MulBias
from refluid.executor.passes.schedule import in_order
from refluid.executor.passes.weight_gradients import Stacked
from refluid.ops.math.matmul import matmul_grad
from refluid.ops.math.mul import mul_grad
from refluid.ops.math.products import addmm, mm, weight_grad
from refluid.ops.registry import Shape, Tensor, define
from refluid.ops.shape.concat import concat as concat_op, concat_grad

FEWEST = 4  # the fewest steps for which it pays


@dataclass
class _Use:
    """One product of a weight with two joined tensors, and the nodes around it."""

    concat: Node
    product: Node
    parts: tuple[Value, Value]  # of the rows
    joined: Value
    out: Value
    gradient: Node | None = None  # of the product by the rows
    split: Node | None = None  # its parts


def hoist_inputs(graph: Graph) -> None:
    products: dict[tuple[Value, Value], list[Node]] = {}
    for node in graph.nodes:
        weight, bias = (node.inputs[1][0], node.inputs[2][0]) if node.op is MulBias else (None, None)
        if weight is not None and bias is not None:
            products.setdefault((weight, bias), []).append(node)
    for (weight, bias), uses in products.items():
        if len(uses) >= FEWEST:
            _hoist(graph, weight, bias, uses)


def _hoist(graph: Graph, weight: Value, bias: Value, products: list[Node]) -> None:
    uses = [use for node in products if (use := _use(graph, node)) is not None]
    if len(uses) < FEWEST:
        return
    side, sizes = _free_side(graph, uses), _sizes(uses, weight)
    if side is None or sizes is None:
        return
    joined = {use.joined: use for use in uses}
    if not _find_gradients(graph, joined):
        return
    own_nodes = {node for use in uses for node in (use.product, use.gradient, use.split)}
    stacked = list(dict.fromkeys(reader for value in joined for reader in value.readers if reader not in own_nodes))
    if not all(_covers(node, joined) for node in stacked):
        return
    if any(_overwritten(graph, value, own_nodes) for value in (weight, bias)) or any(
        any(value.overwriters()) for use in uses for value in use.parts
    ):
        return
    rewritten = _rewritten(graph, uses, side, sizes, weight, bias, stacked)
    ordered = in_order(rewritten)
    if ordered is not None:
        graph.set(ordered)
        return
    for node in rewritten:  # the input of one step depends on another: nothing is changed
        if node.region is None:
            node.detach()
    for node in graph.nodes:
        node.give(node.outputs)


def _use(graph: Graph, product: Node) -> _Use | None:
    joined, out = product.inputs[0][0], product.output()
    concat = joined.maker if joined is not None and graph.own(joined) else None
    if joined is None or out is None or concat is None or concat.op is not concat_op:
        return None
    parts = [value for value in concat.inputs[0] if value]
    flat = all(v.variable is not None and len(v.shape) == 2 and not v.variable.lod_level for v in parts)
    if len(parts) != 2 or not flat or concat.inputs[1] or concat.attrs["axis"] not in (1, -1):
        return None
    return _Use(concat, product, (parts[0], parts[1]), joined, out)


def _overwritten(graph: Graph, value: Value, mine: set[Node | None]) -> bool:
    """Whether the weight or bias is written before its last use here; updates come after that."""
    writers = list(value.overwriters())
    if not writers:
        return False
    last = max(i for i, node in enumerate(graph.nodes) if node in mine)
    return any(node in writers for node in graph.nodes[: last + 1])


def _free_side(graph: Graph, uses: list[_Use]) -> int | None:
    """Which of the two parts does not depend on the products, if one of them does not."""
    later: set[Value] = {use.out for use in uses}
    for node in graph.nodes:
        if not later.isdisjoint(node.reads()):
            later.update(node.writes())
    free = [side for side in (0, 1) if not any(use.parts[side] in later for use in uses)]
    return free[0] if len(free) == 1 else None


def _sizes(uses: list[_Use], weight: Value) -> tuple[int, int] | None:
    """How many columns the two parts have, if they are known and the same in every step."""
    widths = {(use.parts[0].shape[1], use.parts[1].shape[1]) for use in uses}
    (first, second), *others = widths
    fits = not others and first > 0 and second > 0 and weight.shape[0] == first + second
    return (first, second) if fits else None


def _find_gradients(graph: Graph, joined: dict[Value, _Use]) -> bool:
    """Fill in the gradients of the products that need one; False if one has another form."""
    for value, use in joined.items():
        for node in value.readers:
            if node.op not in (matmul_grad, mul_grad) or any(node.outputs[1]) or node.input("X") is not value:
                continue
            split = graph.only_reader(node.output())
            if use.gradient is not None or split is None or split.op is not concat_grad:
                return False
            use.gradient, use.split = node, split
    return True


def _covers(node: Node, joined: dict[Value, _Use]) -> bool:
    """Whether the node is the gradient of the weight from all the products together."""
    return node.op is Stacked and len(node.inputs[0]) == len(joined) and set(node.inputs[0]) == set(joined)


def _rewritten(
    graph: Graph, uses: list[_Use], side: int, sizes: tuple[int, int], weight: Value, bias: Value, stacked: list[Node]
) -> list[Node]:
    """The nodes with the products split, not yet in order."""
    replaced: dict[Node, list[Node]] = {}
    operator = uses[0].product.operator
    cut = {"start": 0 if side == 0 else sizes[0], "length": sizes[side]}
    kept = {"start": sizes[0] if side == 0 else 0, "length": sizes[1 - side]}
    part, rows = Value(f"{weight.name}@RECURRENT"), Value(f"{weight.name}@INPUTS")
    row_grads = Value(f"{weight.name}@OUTPUTS@GRAD")
    ahead: Values = [use.parts[side] for use in uses]
    projected = [Value(f"{use.out.name}@INPUT") for use in uses]
    first = [
        Node(_Rows, operator, [[weight]], [[part]], kept),
        Node(_Stack, operator, [list(ahead)], [[rows]], {}),
        Node(_Ahead, operator, [list(ahead), [rows], [weight], [bias]], [[*projected]], cut),
    ]
    grads: Values = []
    outs: Values = []
    for use, value in zip(uses, projected, strict=True):
        added = Node(_Added, use.product.operator, [[value], [use.parts[1 - side]], [part]], [[use.out]], {})
        replaced[use.concat], replaced[use.product] = [], [*first, added]
        first = []
        if use.gradient is not None and use.split is not None:
            grad = use.gradient.input("Out@GRAD")
            grads.append(grad)
            outs.append(use.split.outputs[0][side])
            wanted = use.split.outputs[0][1 - side]
            replaced[use.split] = replaced[use.gradient] = []
            if wanted is not None:
                replaced[use.gradient] = [Node(_Back, use.gradient.operator, [[grad], [part]], [[wanted]], {})]
    if any(outs):
        gradients = {use.gradient for use in uses}
        last = next(node for node in reversed(graph.nodes) if node in gradients)
        replaced[last] = [
            *replaced[last],
            Node(_Stack, last.operator, [list(grads)], [[row_grads]], {}),
            Node(_Behind, last.operator, [list(grads), [row_grads], [weight]], [outs], cut),
        ]
    for node in stacked:
        by_rows = dict(zip(node.inputs[0], node.inputs[1], strict=True))
        theirs: Values = [by_rows[use.joined] for use in uses]
        others: Values = [use.parts[1 - side] for use in uses]
        inputs: list[Values] = [[rows], others] if side == 0 else [others, [rows]]
        inputs.append([row_grads] if theirs == grads and any(outs) else theirs)
        replaced[node] = [Node(_StackedParts, node.operator, inputs, node.outputs, {})]
    return [new for node in graph.nodes for new in replaced.get(node, [node])]


def _rows(W: Tensor, *, start: int, length: int) -> Tensor:
    return W.narrow(0, start, length)


def _stack(X: list[Tensor]) -> Tensor:
    return torch.cat(X)


def _ahead(X: list[Shape], Rows: Tensor, W: Tensor, B: Tensor, *, start: int, length: int) -> list[Tensor]:
    """X_t.W' + B for all t, where W' are some rows of W, and Rows are all X_t concatenated."""
    out = addmm(B, Rows, W.narrow(0, start, length))
    return list(out.split_with_sizes([x[0] for x in X]))


def _behind(G: list[Shape], Rows: Tensor, W: Tensor, *, start: int, length: int) -> list[Tensor]:
    """The gradients of the X_t of `_ahead`."""
    grads = mm(Rows, W.narrow(0, start, length).t())
    return list(grads.split_with_sizes([g[0] for g in G]))


def _added(P: Tensor, H: Tensor, W: Tensor) -> Tensor:
    return torch.addmm(P, H, W)


def _back(G: Tensor, W: Tensor) -> Tensor:
    return torch.mm(G, W.t())


def _stacked_parts(
    A: list[Tensor], B: list[Tensor], G: list[Tensor], *, needs: tuple[bool, ...]
) -> tuple[Tensor, Tensor | None]:
    """The gradient of the weight of all [A_t, B_t], and of the bias."""
    a, b, grads = (parts[0] if len(parts) == 1 else torch.cat(parts) for parts in (A, B, G))
    return weight_grad(torch.cat([a, b], 1), grads), grads.sum(0) if needs[1] else None


# Not registered: they exist in plans only.
_Rows = define(_rows, "Out", type="rows", lod=None, nograd="*")
_Stack = define(_stack, "Out", type="stacked", lod=None, nograd="*")
_Ahead = define(_ahead, "Out", type="inputs_ahead", duplicable="Out", lod=None, nograd="*")
_Behind = define(_behind, "Out", type="inputs_behind", duplicable="Out", lod=None, nograd="*")
_Added = define(_added, "Out", type="added_product", lod=None, nograd="*")
_Back = define(_back, "Out", type="product_with_transposed", lod=None, nograd="*")
_StackedParts = define(
    _stacked_parts, "Out Bias", type="product_of_stacked_parts", dispensable="Bias", lod=None, nograd="*"
)
