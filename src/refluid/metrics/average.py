"""WeightedAverage: the mean of numbers or arrays with weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.metrics.base import need_number

if TYPE_CHECKING:
    import numpy as np


class WeightedAverage:
    """sum(value * weight) / sum(weight) over what was added since the last reset."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.numerator: Any = None
        self.denominator: Any = None

    def add(self, value: float | np.ndarray, weight: float | np.ndarray) -> None:
        """value: a number or an array; weight: a number."""
        value = need_number("WeightedAverage.add: value", value, arrays=True)
        weight = need_number("WeightedAverage.add: weight", weight)
        first = self.numerator is None
        self.numerator = value * weight if first else self.numerator + value * weight
        self.denominator = weight if first else self.denominator + weight

    def eval(self) -> float | np.ndarray:
        if self.numerator is None or self.denominator == 0:
            raise ArgumentError("WeightedAverage.eval: there is nothing to average; call add first")
        return self.numerator / self.denominator
