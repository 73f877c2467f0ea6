"""ComplexVariable: two variables, one for the real and one for the imaginary part (1.8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.dtypes import VarType, dtype_name
from refluid.core.errors import ArgumentError
from refluid.ir.base_variable import BaseVariable

_DTYPES = {VarType.FP32: "complex64", VarType.FP64: "complex128"}


class ComplexVariable:
    """A complex number per element; `paddle.complex` has the functions of them.

    Args:
        real, imag: variables of one shape and one dtype, float32 or float64. Gradients are theirs.
    """

    def __init__(self, real: Any, imag: Any):
        for what, part in (("real", real), ("imag", imag)):
            if not isinstance(part, BaseVariable):
                raise ArgumentError(f"ComplexVariable: {what} must be a Variable, got {type(part).__name__}")
        if list(real.shape) != list(imag.shape) or real.dtype != imag.dtype or real.dtype not in _DTYPES:
            told = ", ".join(f"{dtype_name(part.dtype)} {list(part.shape)}" for part in (real, imag))
            raise ArgumentError(
                f"ComplexVariable: real and imag must be float32 or float64 and of one shape and dtype, got {told}"
            )
        self.real, self.imag = real, imag

    @property
    def dtype(self) -> str:
        return _DTYPES[self.real.dtype]

    @property
    def shape(self) -> Any:
        return self.real.shape

    @property
    def name(self) -> dict[str, str]:
        return {"real": self.real.name, "imag": self.imag.name}

    @name.setter
    def name(self, name: str) -> None:
        self.real.name, self.imag.name = f"{name}.real", f"{name}.imag"

    def numpy(self) -> np.ndarray:
        """A copy of the value, in the imperative mode."""
        return (self.real.numpy() + 1j * self.imag.numpy()).astype(self.dtype)

    def __repr__(self) -> str:
        return f"REAL: {self.real}\nIMAG: {self.imag}"

    __str__ = __repr__
