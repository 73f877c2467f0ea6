"""Feeds: from what a user gives to tensors, with the checks that Fluid programs rely on."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, DtypeError, ShapeError
from refluid.core.places import CPU
from refluid.core.warn import warn_once
from refluid.executor.failure import fits
from refluid.ir.variable import Variable
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor, tensor_of
from refluid.tensor.tensor_array import LoDTensorArray


def feed_value(name: str, value: Any, var: Variable | None, device: torch.device) -> tuple[Any, LoD | None]:
    """The tensor and LoD of one feed. Memory is shared with a numpy array where that is possible."""
    lod = None
    if type(value) is np.ndarray and value.ndim:
        t = _from_array(name, value)
        if device is CPU:
            if var is not None and var.need_check_feed:
                _check(name, t, None, var)
            return t, None
    elif isinstance(value, LoDTensor):
        t, lod = value.value(), value.lod_value
    elif isinstance(value, LoDTensorArray):
        return value, None
    elif isinstance(value, np.ndarray):  # of no axes, or of a class of its own, as np.memmap
        t = _from_array(name, np.asarray(value))
    elif isinstance(value, torch.Tensor):
        t = value.detach()
    elif isinstance(value, list | tuple | int | float | bool | np.generic):
        array = _as_array(name, value)
        if var is not None and array.dtype != object:  # plain Python numbers take the declared dtype, as in Fluid
            array = _as_declared(name, array, var)
        t = _from_array(name, array)
    elif getattr(value, "is_imperative", False):
        held = value.get_tensor()
        t, lod = held.value(), held.lod_value
    else:
        raise ArgumentError(
            f"feed {name!r}: must be a numpy array, a LoDTensor, a list or a number, got {type(value).__name__}"
        )
    if t.dim() == 0:
        t = t.reshape(1)
    if var is not None and var.need_check_feed:
        _check(name, t, lod, var)
    return (t if t.device == device else t.to(device)), lod


def _as_array(name: str, value: object) -> np.ndarray:
    try:
        return np.asarray(value)
    except ValueError:  # rows of different lengths
        raise ShapeError(
            f"feed {name!r}: the rows of a list must all have the same length, got {value!r:.60}; sequences of "
            "different lengths are fed as fluid.create_lod_tensor(...)"
        ) from None


def _as_declared(name: str, array: np.ndarray, var: Variable) -> np.ndarray:
    try:
        return array.astype(dtypes.numpy_dtype(var.dtype))
    except (TypeError, ValueError):
        wanted = dtypes.NAME[var.dtype]
        raise ArgumentError(f"feed {name!r}: expected numbers of {wanted}, got {array.tolist()!r:.60}") from None


def other_dtypes(names: tuple[str, ...], values: list[Any], variables: dict[str, Variable]) -> dict[str, torch.dtype]:
    """Feeds of other dtypes than declared, which the computation uses, as in Fluid."""
    others = {}
    for name, value in zip(names, values, strict=True):
        declared = variables[name]._dtype
        if declared is not None and isinstance(value, torch.Tensor) and value.dtype is not dtypes.TORCH[declared]:
            others[name] = value.dtype
            warn_once(
                f"feed {name!r}: the variable is declared {dtypes.NAME[declared]}, got "
                f"{dtypes.TORCH_NAME[value.dtype]}, which the computation uses"
            )
    return others


def _from_array(name: str, array: np.ndarray) -> torch.Tensor:
    try:
        if array.flags.writeable and array.dtype.kind != "c":
            return torch.from_numpy(array)
    except (TypeError, ValueError):  # a dtype or a stride that torch does not share
        pass
    try:
        return tensor_of(array, CPU, copy=False)
    except DtypeError as refused:
        raise DtypeError(f"feed {name!r}: {refused.summary}") from None


def _check(name: str, t: torch.Tensor, lod: LoD | None, var: Variable) -> None:
    """A variable of fluid.data takes its dtype and its sizes; one of fluid.layers.data takes anything, as in Fluid."""
    if var._dtype is not None and t.dtype is not dtypes.TORCH[var._dtype]:
        want = dtypes.NAME[var._dtype]
        raise ArgumentError(  # Fluid: a ValueError
            f"feed {name!r}: the variable is declared {want}, got {dtypes.TORCH_NAME[t.dtype]}; use .astype({want!r})"
        )
    if var._shape is None:
        return
    shape = tuple(t.shape)
    while lod is not None and len(shape) > len(var._shape) and shape[-1] == 1:
        shape = shape[:-1]  # the book's chapters feed words [n, 1] to what is declared [None]
    if len(shape) > len(var._shape) or not fits(var._shape[: len(shape)], shape):  # fewer axes pass
        raise ShapeError(f"feed {name!r}: the variable is declared {list(var.shape)}, got the shape {list(t.shape)}")
