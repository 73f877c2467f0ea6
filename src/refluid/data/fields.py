"""Field: one column of a batch of samples as a tensor, dense or grouped into sequences by a LoD."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import prod
from typing import Any, Protocol

import numpy as np
import torch

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, EnforceNotMet, ShapeError
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor, tensor_of

_MISFITS = (ValueError, TypeError, OverflowError)  # what numpy raises for ragged, foreign and too large data


class Declared(Protocol):
    """What of a variable matters here."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> Sequence[int]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def lod_level(self) -> int: ...


class Field:
    """What a variable declares, and the making of its tensors. `owner` begins every message."""

    def __init__(self, var: Declared, owner: str):
        if not hasattr(var, "name"):
            raise ArgumentError(f"{owner}: feed_list must hold variables, got {type(var).__name__} {var!r:.60}")
        self.name = var.name
        self.owner = owner
        self.dtype = dtypes.numpy_dtype(var.dtype)
        self.lod_level = var.lod_level
        self.declared = tuple(var.shape)
        # Fluid: data takes the declared shape only where at most one size of it is unknown
        self.shape = self.declared if sum(size < 0 for size in self.declared) <= 1 else None

    def array(self, column: Sequence[Any]) -> tuple[np.ndarray, LoD | None]:
        """The data of a column, which has one entry per sample, in memory of its own."""
        return self._sequences(column) if self.lod_level else (self._dense(column), None)

    def tensor(self, column: Sequence[Any], device: torch.device) -> LoDTensor:
        array, lod = self.array(column)
        return LoDTensor.of(tensor_of(array, device, copy=False), lod)

    def _dense(self, column: Sequence[Any]) -> np.ndarray:
        try:
            array = np.array(column, dtype=self.dtype)
        except _MISFITS as problem:
            raise self._fault(column, problem) from None
        if self.shape and len(array.shape) != len(self.shape):
            # Fluid reshapes whatever has the right size; a sample that is no whole number of rows shifts the others.
            row = prod(self.shape[1:]) if self.shape[0] < 0 else 0
            if row > 0 and len(array) and array[0].size % row:
                raise self._misfit(array.shape)
            array = self._reshaped(array)
        return array

    def _sequences(self, column: Sequence[Any]) -> tuple[np.ndarray, LoD]:
        lengths: list[list[int]] = []
        whole = column
        for level in range(self.lod_level):
            try:
                lengths.append(list(map(len, column)))
            except TypeError:
                raise self._shallow(whole, level) from None
            if level + 1 < self.lod_level:
                column = list(chain.from_iterable(column))
        try:
            if all(type(one) is np.ndarray for one in column):
                array = np.concatenate(column).astype(self.dtype, copy=False)
            else:
                array = np.array(list(chain.from_iterable(column)), dtype=self.dtype)
        except _MISFITS as problem:
            raise self._fault(whole, problem) from None
        if self.shape and len(array.shape) != len(self.shape):
            array = self._reshaped(array)
        lod = LoD.from_lengths(lengths)
        if lod.rows != len(array):
            raise ShapeError(
                f"{self.owner}: {self.name} is declared {list(self.declared)}; its sequences have {lod.rows} elements, "
                f"which make {len(array)} rows"
            )
        return array, lod

    def _reshaped(self, array: np.ndarray) -> np.ndarray:
        shape = self.shape or ()
        try:
            return array.reshape(shape if array.size else tuple(max(size, 0) for size in shape))
        except ValueError:
            raise self._misfit(array.shape) from None

    def _misfit(self, shape: tuple[int, ...]) -> ShapeError:
        return ShapeError(
            f"{self.owner}: {self.name} is declared {list(self.declared)}, but the batch has the shape {list(shape)}"
        )

    def _shallow(self, column: Sequence[Any], level: int) -> ShapeError:
        def depth(value: Any) -> int:
            return 0 if not hasattr(value, "__len__") else 1 + (max(map(depth, value)) if len(value) else level)

        number = next((i for i, one in enumerate(column) if depth(one) <= level), 0)
        return ShapeError(
            f"{self.owner}: {self.name} has lod_level={self.lod_level}, but sample {number} is nested less deeply: "
            f"{_short(column[number])}"
        )

    def _fault(self, column: Sequence[Any], problem: Exception) -> EnforceNotMet:
        """The sample that numpy cannot convert."""
        first: tuple[int, ...] | None = None
        for number, sample in enumerate(column):
            try:
                rows = (
                    [np.asarray(part, self.dtype) for part in sample]
                    if self.lod_level == 1
                    else [np.asarray(sample, self.dtype)]
                )
            except _MISFITS as reason:
                if self.lod_level > 1:
                    break
                return ArgumentError(
                    f"{self.owner}: {self.name}: sample {number} is no {self.dtype} data: {_short(sample)} ({reason})"
                )
            for row in rows:
                first = row.shape if first is None else first
                if row.shape != first:
                    hint = "" if self.lod_level else "; sequences of different lengths need lod_level=1"
                    return ShapeError(
                        f"{self.owner}: {self.name}: sample {number} has the shape {list(row.shape)}, those before it "
                        f"{list(first)}{hint}"
                    )
        return ArgumentError(f"{self.owner}: {self.name}: the batch cannot become {self.dtype} data ({problem})")


def columns_of(batch: Sequence[Any], names: Sequence[str], owner: str) -> list[tuple[Any, ...]]:
    """The samples of a batch by fields, one per name."""
    for number, sample in enumerate(batch):
        try:
            count = len(sample)
        except TypeError:
            raise ArgumentError(
                f"{owner}: sample {number} must be a tuple with one field per variable, got {_short(sample)}"
            ) from None
        if count != len(names):
            raise ArgumentError(
                f"{owner}: sample {number} has {count} fields, expected {len(names)}: {', '.join(names)}"
            )
    return list(zip(*batch, strict=True)) or [()] * len(names)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "..."
