"""Metrics of a model, accumulated over the batches of an epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.dtypes import dtype_name
from refluid.core.errors import ArgumentError, NotDefinedError, ShapeError
from refluid.layers.compare import equal
from refluid.layers.tensor import cast, topk

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.control_flow.nest import Structure


class Metric:
    """Base of metrics.

    What can be computed by operators belongs into `add_metric_op`, which both modes call with the outputs and labels of
    a batch; `update` gets its results as arrays.
    """

    def reset(self) -> None:
        """Drop all batches."""
        raise NotDefinedError(f"{type(self).__name__} must define reset()")

    def update(self, *args: Any) -> object:
        """Accumulate what `add_metric_op` returned for a batch; returns the metric of that batch."""
        raise NotDefinedError(f"{type(self).__name__} must define update(...)")

    def accumulate(self) -> float | list[float]:
        """The metric over all batches since the last reset: a number, or a list of one for each name."""
        raise NotDefinedError(f"{type(self).__name__} must define accumulate()")

    def name(self) -> str | list[str]:
        """The name, or a list of names."""
        raise NotDefinedError(f"{type(self).__name__} must define name()")

    def add_metric_op(self, *args: Any) -> Structure:
        """Operators between outputs, labels and `update`; by default none."""
        return args


class Accuracy(Metric):
    """The fraction of samples whose label is among the top k classes.

    Args:
        topk: the values of k, one for each accuracy.
        name: "acc" by default.
    """

    def __init__(self, topk: int | Sequence[int] = (1,), name: str | None = None):
        self.topk = (topk,) if isinstance(topk, int) else tuple(topk)
        if not self.topk or not all(isinstance(k, int) and k >= 1 for k in self.topk):
            raise ArgumentError(f"Accuracy: topk must be numbers of at least 1, got {topk!r}")
        self.maxk = max(self.topk)
        base = "acc" if name is None else name
        self._name = [base] if self.maxk == 1 else [f"{base}_top{k}" for k in self.topk]
        self.reset()

    def add_metric_op(self, pred: BaseVariable, label: BaseVariable | None = None, *args: object) -> BaseVariable:
        """[N, maxk]: 1 where the class at that rank is the label."""
        if label is None:
            raise ArgumentError("Accuracy: needs an output and a label, got no label; give prepare() the labels")
        if pred.shape[-1] < self.maxk:
            raise ShapeError(f"Accuracy: topk={self.maxk} needs as many classes, got an output of {list(pred.shape)}")
        dtype = dtype_name(label.dtype)
        if len(label.shape) != len(pred.shape) or label.shape[-1] != 1 or dtype != "int64":
            raise ShapeError(
                f"Accuracy: the label must be int64 {[*pred.shape[:-1], 1]} for an output {list(pred.shape)}, "
                f"got {dtype} {list(label.shape)}"
            )
        _, best = topk(pred, self.maxk)
        return cast(equal(best, label), "float32")

    def update(self, correct: np.ndarray, *args: object) -> list[float]:
        rows = np.asarray(correct).reshape(-1, self.maxk)
        shares = []
        for i, k in enumerate(self.topk):
            right = float(rows[:, :k].sum())
            self.total[i] += right
            self.count[i] += len(rows)
            shares.append(right / max(len(rows), 1))
        return shares

    def reset(self) -> None:
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def accumulate(self) -> list[float]:
        return [total / max(count, 1) for total, count in zip(self.total, self.count, strict=True)]

    def name(self) -> list[str]:
        return self._name
