"""Losses as layers."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.warn import warn_once
from refluid.layers.loss import square_error_cost
from refluid.layers.numbers import is_variable
from refluid.layers.reduce import reduce_mean, reduce_sum
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.ops.activation.softmax import log_softmax
from refluid.ops.loss.bce_loss import bce_loss
from refluid.ops.loss.nll_loss import nll_loss
from refluid.ops.math.elementwise import elementwise_mul, elementwise_sub
from refluid.ops.shape.reshape import reshape2

_REDUCTIONS = ("mean", "sum", "none")


class _Loss(Layer):
    """A loss per element, then its mean, its sum, or itself."""

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        if reduction not in _REDUCTIONS:
            raise ArgumentError(f"{type(self).__name__}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}")
        self.reduction = reduction

    def _reduce(self, cost: Any) -> Any:
        if self.reduction == "none":
            return cost
        return reduce_mean(cost) if self.reduction == "mean" else reduce_sum(cost)


class L1Loss(_Loss):
    """|input - label|."""

    def forward(self, input: Any, label: Any) -> Any:
        layer = self.layer_name
        return self._reduce(registry.get("abs")(elementwise_sub(input, label, name=layer), name=layer))


class MSELoss(_Loss):
    """(input - label) ** 2."""

    def forward(self, input: Any, label: Any) -> Any:
        return self._reduce(square_error_cost(input, label))


class BCELoss(_Loss):
    """-label * log(input) - (1 - label) * log(1 - input), for probabilities.

    Args:
        weight: how much each element counts; a variable that broadcasts to the input.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = weight

    def forward(self, input: Any, label: Any) -> Any:
        layer = self.layer_name
        cost = bce_loss(input, label, name=layer)
        if self.weight is not None:
            cost = elementwise_mul(cost, self.weight, axis=-1, name=layer)
        return self._reduce(cost)


class NLLLoss(_Loss):
    """-input[label] for log-probabilities [N, C] (or [N, C, ...]) and labels [N] (or [N, ...]).

    Args:
        weight: how much each class counts, [C]; the mean is then a weighted one.
        ignore_index: this label counts nothing.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", ignore_index: int = -100):
        super().__init__(reduction)
        if weight is not None and not is_variable(weight):
            kind = type(weight).__name__
            warn_once(f"{type(self).__name__}: weight must be a Variable; {kind} is not used, as in Fluid")
            weight = None
        self.weight, self.ignore_index = weight, ignore_index

    def forward(self, input: Any, label: Any) -> Any:
        layer = self.layer_name
        shape = list(input.shape)
        if len(shape) == 2 and len(label.shape) == 2 and label.shape[1] == 1:
            label, _ = reshape2(label, shape=[-1], name=layer)
        if len(shape) in (2, 4):
            return self._cost(input, label, layer)
        if len(shape) < 2:
            raise ArgumentError(f"{type(self).__name__}: input must be [N, C, ...], got {shape}")
        # The operator knows one or two axes of samples; others become two.
        flat, _ = reshape2(input, shape=[shape[0], shape[1], 1, -1], name=layer)
        labels, _ = reshape2(label, shape=[shape[0], 1, -1], name=layer)
        cost = self._cost(flat, labels, layer)
        return cost if self.reduction != "none" else reshape2(cost, shape=[shape[0], *shape[2:]], name=layer)[0]

    def _cost(self, input: Any, label: Any, layer: Any) -> Any:
        cost, _ = nll_loss(
            input, label, self.weight, name=layer, ignore_index=self.ignore_index, reduction=self.reduction
        )
        return cost


class CrossEntropyLoss(NLLLoss):
    """NLLLoss of log_softmax(input): logits [N, C] and labels [N] or [N, 1]."""

    def forward(self, input: Any, label: Any) -> Any:
        layer = self.layer_name
        axis = 1 if len(input.shape) > 2 else -1
        if len(label.shape) == len(input.shape) and label.shape[-1] == 1:
            label, _ = reshape2(label, shape=list(label.shape[:-1]), name=layer)
        return super().forward(log_softmax(input, axis=axis, name=layer), label)
