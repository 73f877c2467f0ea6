"""Losses of a model: from outputs and labels to one number each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, NotDefinedError
from refluid.hapi.inputs import as_list
from refluid.layers.loss import cross_entropy, softmax_with_cross_entropy
from refluid.layers.reduce import reduce_mean, reduce_sum

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Loss:
    """Base of losses: a subclass defines `forward(outputs, labels)` on lists of variables.

    Args:
        average: the mean over the batch is taken, else the sum.
    """

    average = True  # for subclasses that do not call __init__

    def __init__(self, average: bool = True):
        self.average = average

    def forward(self, outputs: list[Any], labels: list[Any]) -> Structure:
        """A loss, or a list of them, of any shape."""
        raise NotDefinedError(f"{type(self).__name__} must define forward(outputs, labels)")

    def __call__(self, outputs: object, labels: object = None) -> list[Any]:
        losses = as_list(self.forward(as_list(outputs), as_list(labels)))
        if not losses:
            raise ArgumentError(f"{type(self).__name__}: forward must give at least one loss, got none")
        return [reduce_mean(loss) if self.average else reduce_sum(loss) for loss in losses]


class CrossEntropy(Loss):
    """The cross entropy of probabilities [N, classes] and int64 labels [N, 1], one for each output."""

    def forward(self, outputs: list[Any], labels: list[Any]) -> list[Any]:
        _check_pairs(self, outputs, labels)
        return [cross_entropy(output, label) for output, label in zip(outputs, labels)]


class SoftmaxWithCrossEntropy(Loss):
    """The cross entropy of the softmax of scores [N, classes] and int64 labels [N, 1], one for each output."""

    def forward(self, outputs: list[Any], labels: list[Any]) -> list[Any]:
        _check_pairs(self, outputs, labels)
        return [softmax_with_cross_entropy(output, label) for output, label in zip(outputs, labels)]


def _check_pairs(loss: Loss, outputs: list[Any], labels: list[Any]) -> None:
    if len(outputs) != len(labels):
        raise ArgumentError(
            f"{type(loss).__name__}: every output needs a label, got {len(outputs)} outputs and {len(labels)} labels; "
            "give prepare() as many labels, and batches as many fields behind the inputs"
        )
