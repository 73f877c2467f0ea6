"""Metrics of classifiers: precision, recall, accuracy, the area under the curve."""

from __future__ import annotations

import numpy as np
import torch

from refluid.core.errors import ArgumentError, ShapeError, ValueRangeError
from refluid.core.warn import warn_once
from refluid.metrics.base import MetricBase, need_array, need_number
from refluid.ops.metric.auc import area


class Precision(MetricBase):
    """Precision of a binary classifier: true positives / predicted positives."""

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.tp = 0  # true positives
        self.fp = 0  # false positives

    def update(self, preds: np.ndarray, labels: np.ndarray) -> None:
        """preds: probabilities of the positive class, [N, 1]; labels: 0 or 1, [N, 1]."""
        said, true = _yes_or_no("Precision", preds, labels)
        self.tp += int((said & true).sum())
        self.fp += int((said & ~true).sum())

    def eval(self) -> float:
        said = self.tp + self.fp
        return self.tp / said if said else 0.0


class Recall(MetricBase):
    """Recall of a binary classifier: true positives / positives."""

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.tp = 0  # true positives
        self.fn = 0  # false negatives

    def update(self, preds: np.ndarray, labels: np.ndarray) -> None:
        """preds: probabilities of the positive class, [N, 1]; labels: 0 or 1, [N, 1]."""
        said, true = _yes_or_no("Recall", preds, labels)
        self.tp += int((said & true).sum())
        self.fn += int((~said & true).sum())

    def eval(self) -> float:
        true = self.tp + self.fn
        return self.tp / true if true else 0.0


class Accuracy(MetricBase):
    """The mean of the accuracies of batches, weighted by their sizes."""

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.value: float | np.ndarray = 0.0
        self.weight: float | np.ndarray = 0.0

    def update(self, value: float | np.ndarray, weight: float | np.ndarray) -> None:
        """value: the accuracy of a batch, as fluid.layers.accuracy gives it; weight: the size of the batch."""
        value = need_number("Accuracy.update: value", value, arrays=True)
        weight = need_number("Accuracy.update: weight", weight)
        if weight < 0:
            raise ArgumentError(f"Accuracy.update: weight must not be negative, got {weight}")
        self.value = self.value + value * weight
        self.weight = self.weight + weight

    def eval(self) -> float | np.ndarray:
        if self.weight == 0:
            raise ArgumentError("Accuracy.eval: there is no data; call update with the accuracy of a batch first")
        return self.value / self.weight


class Auc(MetricBase):
    """The area under the curve of a binary classifier.

    Args:
        curve: "ROC", or "PR" for precision over recall. (Fluid 1.8.5 gives the area under ROC for either.)
        num_thresholds: the number of thresholds at which the curve is sampled.
    """

    def __init__(self, name: str | None, curve: str = "ROC", num_thresholds: int = 4095):
        super().__init__(name)
        if curve not in ("ROC", "PR"):
            warn_once(f"Auc: curve is 'ROC' or 'PR', got {curve!r}, which is taken for 'ROC'")
        self._curve = curve
        self._num_thresholds = num_thresholds
        self.reset()

    def reset(self) -> None:
        self._stat_pos = np.zeros(self._num_thresholds + 1, "int64")
        self._stat_neg = np.zeros(self._num_thresholds + 1, "int64")

    def update(self, preds: np.ndarray, labels: np.ndarray) -> None:
        """preds: probabilities of the negative and of the positive class, [N, 2]; labels: 0 or 1, [N, 1]."""
        preds, labels = need_array("Auc.update: preds", preds), need_array("Auc.update: labels", labels)
        if preds.ndim != 2 or preds.shape[1] < 2 or len(preds) != labels.size:
            raise ShapeError(
                f"Auc.update: preds must be [N, 2] and labels [N, 1], got {list(preds.shape)} and {list(labels.shape)}"
            )
        yes = preds[:, 1].astype("float64")
        if yes.size and not (yes.min() >= 0 and yes.max() <= 1):
            raise ValueRangeError(
                f"Auc.update: preds must hold probabilities from 0 to 1, got {yes.min():g} to {yes.max():g}"
            )
        bins = (yes * self._num_thresholds).astype("int64")
        true = labels.reshape(-1) != 0
        self._stat_pos += np.bincount(bins[true], minlength=len(self._stat_pos))
        self._stat_neg += np.bincount(bins[~true], minlength=len(self._stat_neg))

    def eval(self) -> float:
        """The area; 0 while one of the two classes has not been seen."""
        return area(torch.from_numpy(self._stat_pos), torch.from_numpy(self._stat_neg), self._curve).item()


def _yes_or_no(metric: str, preds: object, labels: object) -> tuple[np.ndarray, np.ndarray]:
    preds, labels = need_array(f"{metric}.update: preds", preds), need_array(f"{metric}.update: labels", labels)
    if preds.size != labels.size:
        raise ShapeError(f"{metric}.update: preds has {preds.size} elements, but labels has {labels.size}")
    return np.rint(preds.reshape(-1)) == 1, labels.reshape(-1) == 1
