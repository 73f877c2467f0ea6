"""Losses as layers."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.warn import warn_once
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable
from refluid.layers.loss import square_error_cost
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

    def _reduce(self, cost: BaseVariable) -> BaseVariable:
        if self.reduction == "none":
            return cost
        return reduce_mean(cost) if self.reduction == "mean" else reduce_sum(cost)


class L1Loss(_Loss):
    """|input - label|, as a layer over two variables of one shape.

    Args:
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: BaseVariable, label: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        return self._reduce(registry.get("abs")(elementwise_sub(input, label, name=layer), name=layer))


class MSELoss(_Loss):
    """(input - label) ** 2, as a layer over two variables of one shape.

    Args:
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: BaseVariable, label: BaseVariable) -> BaseVariable:
        return self._reduce(square_error_cost(input, label))


class BCELoss(_Loss):
    """Binary cross entropy of probabilities: -label * log(input) - (1 - label) * log(1 - input).

    Args:
        weight: weights of the elements, a variable that broadcasts to the input; None for 1.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, weight: BaseVariable | None = None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = weight

    def forward(self, input: BaseVariable, label: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        cost = bce_loss(input, label, name=layer)
        if self.weight is not None:
            cost = elementwise_mul(cost, self.weight, axis=-1, name=layer)
        return self._reduce(cost)


class NLLLoss(_Loss):
    """Negative log likelihood: -weight[label] * input[label].

    The input holds log-probabilities [N, C] or [N, C, ...], the label class indices [N] or [N, ...].

    Args:
        weight: weights of the classes, a variable of shape [C]; the mean is then a weighted one. None for 1.
        reduction: "mean", "sum" or "none".
        ignore_index: samples with this label have no loss.
    """

    def __init__(self, weight: BaseVariable | None = None, reduction: str = "mean", ignore_index: int = -100):
        super().__init__(reduction)
        if weight is not None and not is_variable(weight):
            kind = type(weight).__name__
            warn_once(f"{type(self).__name__}: weight must be a Variable; {kind} is not used, as in Fluid")
            weight = None
        self.weight, self.ignore_index = weight, ignore_index

    def forward(self, input: BaseVariable, label: BaseVariable) -> BaseVariable:
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

    def _cost(self, input: BaseVariable, label: BaseVariable, layer: LayerName) -> BaseVariable:
        cost, _ = nll_loss(
            input, label, self.weight, name=layer, ignore_index=self.ignore_index, reduction=self.reduction
        )
        return cost


class CrossEntropyLoss(NLLLoss):
    """Softmax cross entropy: NLLLoss of log_softmax(input).

    The input holds logits [N, C] or [N, C, ...], the label int64 class indices [N], [N, 1] or [N, ...].

    Args:
        weight: weights of the classes, a variable of shape [C]; the mean is then a weighted one. None for 1.
        reduction: "mean", "sum" or "none".
        ignore_index: samples with this label have no loss.
    """

    def forward(self, input: BaseVariable, label: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        axis = 1 if len(input.shape) > 2 else -1
        if len(label.shape) == len(input.shape) and label.shape[-1] == 1:
            label, _ = reshape2(label, shape=list(label.shape[:-1]), name=layer)
        return super().forward(log_softmax(input, axis=axis, name=layer), label)
