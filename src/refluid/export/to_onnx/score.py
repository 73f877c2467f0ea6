"""Losses and accuracy, for models that were saved with them."""

from __future__ import annotations

import torch

from refluid.export.mapping import Value
from refluid.export.to_onnx.graph import Graph, maps
from refluid.ops.activation.softmax import LOWEST_EXPONENT

LOWEST = -1e20  # what Fluid takes for log(0), so that a sum over many samples stays a number


@maps("cross_entropy")
def cross_entropy(g: Graph, X: Value, Label: Value, *, soft_label: bool, ignore_index: int) -> str:
    logs = _log(g, X.name, X)
    if soft_label:
        return g.node("Neg", g.reduce("Sum", g.node("Mul", Label, logs), [-1], True))
    return _of_class(g, logs, X, Label, -1, ignore_index)


@maps("cross_entropy2")
def cross_entropy2(g: Graph, X: Value, Label: Value, *, ignore_index: int) -> str:
    return _of_class(g, _log(g, X.name, X), X, Label, -1, ignore_index)


@maps("softmax_with_cross_entropy")
def softmax_with_cross_entropy(
    g: Graph, Logits: Value, Label: Value, *, soft_label: bool, ignore_index: int, axis: int
) -> tuple[str, str]:  # fmt: skip
    logs = g.node("LogSoftmax", Logits, axis=axis)
    logs = g.node("Max", logs, g.node("Add", g.reduce("Max", logs, [axis], True), g.number(LOWEST_EXPONENT, Logits)))
    if soft_label:
        loss = g.node("Neg", g.reduce("Sum", g.node("Mul", Label, logs), [axis], True))
    else:
        loss = _of_class(g, logs, Logits, Label, axis, ignore_index, column=True)
    return g.node("Exp", logs), loss


def _log(g: Graph, x: str, like: Value) -> str:
    return g.node("Max", g.node("Log", x), g.number(LOWEST, like))


def _of_class(
    g: Graph, logs: str, X: Value, Label: Value, axis: int, ignore_index: int, column: bool = False
) -> str:  # fmt: skip
    """The negative logarithm at each label, 0 where it is ignored; in the shape of Label unless `column`."""
    label = g.cast(Label, torch.int64)
    if Label.rank < X.rank:
        label = g.unsqueeze(label, -1)
    ignored = g.node("Equal", label, g.ints(ignore_index))
    places = g.where(ignored, g.ints(0), label)
    nll = g.node("Neg", g.node("GatherElements", logs, places, axis=axis))
    loss = g.where(ignored, g.number(0, X), nll)
    return loss if column or Label.rank == X.rank else g.squeeze(loss, -1)


@maps("sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    g: Graph, X: Value, Label: Value, *, normalize: bool, ignore_index: int
) -> str:  # fmt: skip
    # max(x, 0) - x * label + log(1 + exp(-|x|))
    curve = g.node("Softplus", g.node("Neg", g.node("Abs", X)))
    loss = g.node("Add", g.node("Sub", g.node("Relu", X), g.node("Mul", X, Label)), curve)
    ignored = g.node("Equal", Label, g.number(ignore_index, X))
    loss = g.where(ignored, g.number(0, X), loss)
    if not normalize:
        return loss
    kept = g.reduce("Sum", g.cast(g.node("Not", ignored), X.dtype), list(range(X.rank)), False)
    return g.node("Div", loss, g.node("Max", kept, g.number(1e-5, X)))


@maps("log_loss")
def log_loss(g: Graph, Predicted: Value, Labels: Value, *, epsilon: float) -> str:
    def log(x: str) -> str:
        return g.node("Log", g.node("Add", x, g.number(epsilon, Predicted)))

    unit = g.number(1, Predicted)
    yes = g.node("Mul", Labels, log(Predicted.name))
    no = g.node("Mul", g.node("Sub", unit, Labels), log(g.node("Sub", unit, Predicted)))
    return g.node("Neg", g.node("Add", yes, no))


@maps("accuracy")
def accuracy(g: Graph, Indices: Value, Label: Value) -> tuple[str, str, str]:
    hits = g.cast(g.node("Equal", g.cast(Indices, torch.int64), g.cast(Label, torch.int64)), torch.int32)
    correct = g.reduce("Sum", g.reduce("Max", hits, [1], False), [0], True)
    total = g.cast(g.sizes(Indices, 0, 1), torch.int32)
    return g.node("Div", g.cast(correct, torch.float32), g.cast(total, torch.float32)), correct, total
