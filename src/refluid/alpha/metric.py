"""paddle.metric.Accuracy: accuracies among the best 1, 5, ... classes, gathered over batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.types import Ints
from refluid.layers.checks import positive
from refluid.layers.common import as_list
from refluid.metrics import classification


class Accuracy(classification.Accuracy):
    """The mean of the accuracies of batches, weighted by their sizes.

    Args:
        topk: a prediction counts as right if the label is among this many best classes; several numbers give several
            accuracies.
        name: the name of the metric. (Fluid's own Accuracy takes the name first, and so may this one.)
    """

    def __init__(self, topk: Ints | str = (1,), name: str | None = None, *args: object, **kwargs: object):
        if args or kwargs:
            raise TypeError(f"Accuracy takes topk and name, got also {[*args, *kwargs]}")
        if isinstance(topk, str):
            name, topk = topk, (1,)
        counts = tuple(positive("Accuracy: topk", k) for k in as_list(topk))
        if not counts:
            raise ArgumentError("Accuracy: topk must hold a positive int, got nothing")
        super().__init__(name)
        self._topk = counts

    def update(self, value: Any, weight: Any) -> None:
        """Add the accuracy of a batch.

        Args:
            value: the accuracy of the batch, one for every number in topk.
            weight: the size of the batch.
        """
        if len(self._topk) > 1:
            value = np.asarray(value, "float64")
            if value.size != len(self._topk):
                raise ShapeError(f"Accuracy.update: topk has {len(self._topk)} numbers, but value has {value.size}")
        super().update(value, weight)

    def eval(self) -> Any:
        """The accuracy; a list of them for several numbers in topk."""
        accuracy = super().eval()
        return accuracy if len(self._topk) == 1 else [float(value) for value in np.reshape(accuracy, -1)]
