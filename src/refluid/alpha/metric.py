"""paddle.metric.Accuracy: accuracies among the best 1, 5, ... classes, gathered over batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers.common import as_list
from refluid.layers.numbers import positive
from refluid.metrics import classification


class Accuracy(classification.Accuracy):
    """The mean of the accuracies of batches, weighted by their sizes.

    Args:
        topk: among how many of the best classes the label is looked for; several numbers give several accuracies.
        name: of the metric. (Fluid's own Accuracy takes the name first, and so may this one.)
    """

    def __init__(self, topk: Any = (1,), name: str | None = None, *args: Any, **kwargs: Any):
        if args or kwargs:
            raise TypeError(f"Accuracy takes topk and name, got also {[*args, *kwargs]}")
        if isinstance(topk, str):
            topk, name = (1,), topk
        counts = tuple(positive("Accuracy: topk", k) for k in as_list(topk))
        if not counts:
            raise ArgumentError("Accuracy: topk must hold a positive int, got nothing")
        super().__init__(name)
        self._topk = counts

    def update(self, value: Any, weight: Any) -> None:
        """value: the accuracy of a batch, one for every number in topk; weight: the size of the batch."""
        if len(self._topk) > 1:
            value = np.asarray(value, "float64")
            if value.size != len(self._topk):
                raise ShapeError(f"Accuracy.update: topk has {len(self._topk)} numbers, but value has {value.size}")
        super().update(value, weight)

    def eval(self) -> Any:
        """The accuracy; a list of them for several numbers in topk."""
        found = super().eval()
        return found if len(self._topk) == 1 else [float(one) for one in np.reshape(found, -1)]
