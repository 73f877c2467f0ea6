"""Weights in a scope, and weights as integers."""

from __future__ import annotations

import numpy as np

from refluid.core.errors import NotFoundError
from refluid.core.places import CPUPlace, Place
from refluid.ops.quantize.levels import top
from refluid.tensor.scope import Scope


def value(scope: Scope, name: str) -> np.ndarray:
    found = scope.find_var(name)
    if found is None:
        raise NotFoundError(f"{name} is not in the scope; run the startup program, or load it")
    return np.array(found.get_tensor())


def set_value(scope: Scope, name: str, array: np.ndarray, place: Place | None = None) -> None:
    held = scope.find_var(name) or scope.var(name)
    held.get_tensor().set(array, CPUPlace() if place is None else place)


def integers(weight: np.ndarray, scale: object, bits: int, clip: bool = False) -> np.ndarray:
    """The weight as integers, of which `top(bits)` stands for `scale`; one scale for all, or one for each weight[i].

    Args:
        clip: whether what is larger than the scale is clipped.
    """
    scale = np.asarray(scale, weight.dtype)
    scale = scale.reshape(scale.shape + (1,) * (weight.ndim - scale.ndim))
    part = np.divide(weight, scale, out=np.zeros_like(weight), where=scale != 0)
    return np.round((np.clip(part, -1, 1) if clip else part) * top(bits))
