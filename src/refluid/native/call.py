"""Calling kernels with tensors."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import torch

from refluid.core import flags
from refluid.core.warn import warn_once
from refluid.native.build import CannotBuild, load

_DTYPES = (torch.float32, torch.float64)

_lock = threading.Lock()
_library: ctypes.CDLL | None = None
_tried = False


def available() -> bool:
    """Whether kernels can be called; compiles them when asked for the first time."""
    global _library, _tried
    if not _tried:
        with _lock:
            if not _tried:
                _library = _load()
                _tried = True
    return _library is not None and bool(flags.get("FLAGS_refluid_native"))


def takes(*values: torch.Tensor) -> bool:
    """Whether a kernel can compute with these: floats on the CPU."""
    return all(value.device.type == "cpu" and value.dtype in _DTYPES for value in values) and available()


def _load() -> ctypes.CDLL | None:
    if not flags.get("FLAGS_refluid_native"):
        return None
    try:
        return load()
    except CannotBuild as why:
        warn_once(
            f"the C++ kernels cannot be built: {why}. Loops over boxes and sequences, and the prediction with "
            "convolutional networks, give the same results without them, slower; FLAGS_refluid_native=0 chooses that "
            "without this warning"
        )
        return None


def call(name: str, *arguments: object) -> int:
    """Call a kernel; `available` must have said so. Tensors must be contiguous, on the CPU; floats are double in C++.

    A name that ends with "_" is completed by the dtype of the first tensor of floats: there is one for float32 and one
    for float64.
    """
    if name.endswith("_"):
        tensors = (value for value in arguments if isinstance(value, torch.Tensor))
        name += str(next(value.dtype for value in tensors if value.dtype in _DTYPES)).removeprefix("torch.")
    function = getattr(_library, name)
    function.restype = ctypes.c_int64
    return function(*map(_converted, arguments))


def function(name: str) -> Any:
    """A kernel for those who call it often and convert its arguments themselves; `available` must have said so."""
    return getattr(_library, name)


def _converted(value: Any) -> ctypes._SimpleCData:
    if isinstance(value, torch.Tensor):
        return ctypes.c_void_p(value.data_ptr())
    if value is None:
        return ctypes.c_void_p()
    if isinstance(value, bool):
        return ctypes.c_bool(value)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int64(value)
