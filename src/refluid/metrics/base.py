"""MetricBase: a number accumulated over many batches; and several of them as one."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, NotDefinedError


class MetricBase:
    """Keeps its states in attributes without a leading underscore; `reset` sets them back by their types."""

    def __init__(self, name: str | None):
        self._name = type(self).__name__ if name is None else str(name)

    def __str__(self) -> str:
        return self._name

    def reset(self) -> None:
        """Drop all batches: numbers and arrays become zeros, anything else None."""
        for name, value in self._states().items():
            setattr(self, name, _zero(value))

    def get_config(self) -> dict[str, Any]:
        """{"name": of the metric, "states": copies of its states by name}."""
        return {"name": self._name, "states": copy.deepcopy(self._states())}

    def update(self, preds: Any, labels: Any) -> None:
        """Accumulate a batch."""
        raise NotDefinedError(f"{type(self).__name__} has no update; write one in your class")

    def eval(self) -> object:
        """The metric over all batches since the last reset."""
        raise NotDefinedError(f"{type(self).__name__} has no eval; write one in your class")

    def _states(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


class CompositeMetric(MetricBase):
    """Several metrics of the same predictions and labels. Resetting it resets them all."""

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self._metrics: list[MetricBase] = []

    def add_metric(self, metric: MetricBase) -> None:
        if not isinstance(metric, MetricBase):
            raise ArgumentError(f"CompositeMetric.add_metric: metric must be a MetricBase, got {metric!r:.60}")
        self._metrics.append(metric)

    def reset(self) -> None:
        for metric in self._metrics:
            metric.reset()

    def update(self, preds: object, labels: object) -> None:
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self) -> list[Any]:
        """The value of each metric, in the order in which they were added."""
        return [metric.eval() for metric in self._metrics]


def need_array(what: str, value: object) -> np.ndarray:
    if not isinstance(value, np.ndarray):
        raise ArgumentError(f"{what} must be a numpy array, got {type(value).__name__}")
    return value


def need_number(what: str, value: object, arrays: bool = False) -> Any:
    """A number, or an array: any one if `arrays`, else of one element."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and (arrays or value.size == 1):
        return value
    if isinstance(value, int | float | np.integer | np.floating):
        return value
    kind = "array" if arrays else "array of one element"
    raise ArgumentError(f"{what} must be a number or a numpy {kind}, got {value!r:.60}")


def _zero(value: object) -> float | np.ndarray | None:
    if isinstance(value, int):
        return 0
    if isinstance(value, float):
        return 0.0
    if isinstance(value, np.ndarray | np.generic):
        return np.zeros_like(value)
    return None
