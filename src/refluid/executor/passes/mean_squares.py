"""One call for the mean of squared differences, the loss of a regression, and one for its gradient."""

from __future__ import annotations

import torch

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ops.aten import aten
from refluid.ops.math.elementwise import elementwise_sub, elementwise_sub_grad
from refluid.ops.math.mean import mean, mean_grad
from refluid.ops.math.unary import square
from refluid.ops.registry import OpDef, Tensor, define

squared_differences = torch._C._nn.mse_loss  # without a reduction, as it is by default here
mse_loss_backward = aten("mse_loss_backward")
_MEAN = 1  # the number of that reduction in ATen


def fuse_mean_squares(graph: Graph) -> None:
    """mean(square(x - y)) becomes one node, and the three gradients of it another."""
    replaced: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        if node.op is not mean:
            continue
        squares = _maker(graph, node.inputs[0][0], square)
        difference = _maker(graph, squares.inputs[0][0], elementwise_sub) if squares is not None else None
        if squares is None or difference is None:
            continue
        first = _gradient(squares.output(), node, mean_grad)
        second = _gradient(difference.output(), squares, square.gradient)
        if first is _OTHERS or second is _OTHERS or (first is None) != (second is None):
            continue
        (x,), (y,) = difference.inputs
        attrs = {"axis": difference.attrs.get("axis", -1)}
        if isinstance(first, Node) and isinstance(second, Node):
            third = graph.only_reader(second.output())
            if graph.only_reader(first.output()) is not second or third is None or third.op is not elementwise_sub_grad:
                continue
            if any(_overwritten_before(graph, value, third) for value in (x, y)):
                continue
            loss_grad = first.input("Out@GRAD")
            gradient = Node(
                _MeanSquaresGrad, third.operator, [[x], [y], [loss_grad]], third.outputs, attrs,
                label="mean_squares_grad",
            )  # fmt: skip
            replaced.update({first: [], second: [], third: [gradient]})
        fused = Node(_MeanSquares, difference.operator, [[x], [y]], node.outputs, attrs, label="mean_squares")
        replaced.update({difference: [], squares: [], node: [fused]})
    if replaced:
        graph.rewrite(replaced.get)


_OTHERS = object()  # more reads a value than its operator and the gradient of that


def _maker(graph: Graph, value: Value | None, op: OpDef) -> Node | None:
    """The node of this operator that makes a temporary."""
    maker = value.maker if value is not None and graph.own(value) else None
    return maker if maker is not None and maker.op is op and maker.kernel is None else None


def _overwritten_before(graph: Graph, value: Value | None, node: Node) -> bool:
    if value is None:
        return True
    writers = [writer for writer in value.overwriters() if writer.region is graph]
    return any(graph.nodes.index(writer) < graph.nodes.index(node) for writer in writers)


def _gradient(value: Value | None, reader: Node, gradient: OpDef | None) -> Node | object | None:
    """The gradient node that reads a value besides `reader`; None if nobody does."""
    others = [node for node in value.readers if node is not reader] if value is not None else []
    if not others:
        return None
    return others[0] if len(others) == 1 and others[0].op is gradient else _OTHERS


def _quick(x: Tensor, y: Tensor) -> bool:
    return x.shape == y.shape and x.dtype is y.dtype and x.dtype in (torch.float32, torch.float64)


def _mean_squares(X: Tensor, Y: Tensor, *, axis: int = -1) -> Tensor:
    if _quick(X, Y):
        return mean.kernel(squared_differences(X, Y))
    return mean.kernel(square.kernel(elementwise_sub.kernel(X, Y, axis=axis)))


def _mean_squares_grad(
    X: Tensor, Y: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], axis: int = -1
) -> tuple[Tensor | None, ...]:
    if _quick(X, Y):
        x_grad = mse_loss_backward(Out_grad, X, Y, _MEAN)
        return x_grad, x_grad.neg() if needs[1] else None
    difference = elementwise_sub.kernel(X, Y, axis=axis)
    grad = difference * mean_grad.kernel(difference.shape, Out_grad) * 2
    return elementwise_sub_grad.kernel(X.shape, Y.shape, grad, needs=needs, axis=axis)


# Not registered: they exist in plans only.
_MeanSquares = define(_mean_squares, "Out", type="mean_squares", lod=None, nograd="*")
_MeanSquaresGrad = define(
    _mean_squares_grad, "X@GRAD Y@GRAD", type="mean_squares_grad", dispensable="X@GRAD Y@GRAD", lod=None, nograd="*"
)
