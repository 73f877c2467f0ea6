"""LoDTensor: a tensor and its LoD, as a program holds it."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import SupportsIndex

import numpy as np
import torch

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, DtypeError, NotFoundError, ShapeError
from refluid.core.places import CPU, CPUPlace, CUDAPlace, Place, device_of
from refluid.tensor import lod as lods
from refluid.tensor.elements import Elements
from refluid.tensor.lod import LoD
from refluid.tensor.text import tensor_text

_DTYPES = frozenset(map(np.dtype, dtypes.NAME.values()))


class LoDTensor(Elements):
    """A tensor whose rows are grouped into sequences by its LoD.

    `t` is the torch tensor (None while nothing is set), `lod_value` its LoD (None if there is none).

    Args:
        lod: the lengths of the sequences, one list per level.

    Example:
        >>> tensor = fluid.LoDTensor()
        >>> tensor.set(np.arange(5, dtype="float32").reshape(5, 1), fluid.CPUPlace())
        >>> tensor.set_recursive_sequence_lengths([[2, 3]])
        >>> tensor.shape(), tensor.lod()
        ([5, 1], [[0, 2, 5]])
    """

    __slots__ = ("__weakref__", "lod_value")

    def __init__(self, lod: Iterable[Iterable[int]] | None = None):
        self.t: torch.Tensor | None = None
        self.dims = [0]  # what shape() says while there is no data
        self.lod_value: LoD | None = None
        if lod is not None:  # Fluid: the constructor takes lengths, though set_lod takes offsets
            self.set_recursive_sequence_lengths(lod)

    @classmethod
    def of(cls, t: torch.Tensor | None, lod: LoD | None = None) -> LoDTensor:
        """The engine's own way in: no copy, no check."""
        self = cls()
        self.t = t
        self.lod_value = lod
        return self

    # data

    def set(self, array: object, place: Place, zero_copy: bool = False) -> None:
        """Take the data of an array, a (nested) list or a torch tensor. The LoD stays, as in Fluid.

        Args:
            array: what to copy; its dtype is kept (a list of floats is float64, as numpy has it).
            place: where the tensor is to live.
            zero_copy: share the memory of a contiguous numpy array instead of copying it.
        """
        self.t = tensor_of(array, device_of(place), copy=not zero_copy)

    def shape(self) -> list[int]:
        return list(self.dims if self.t is None else self.t.shape)

    def _get_dims(self) -> list[int]:
        return self.shape()

    def _dtype(self) -> dtypes.VarType:
        return dtypes.var_type(self.value().dtype)

    def _place(self) -> Place:
        device = self.value().device
        return CUDAPlace(device.index or 0) if device.type == "cuda" else CPUPlace()

    def _is_initialized(self) -> bool:
        return self.t is not None and not self.t.is_meta

    def _clear(self) -> None:
        self.dims = self.shape()  # Fluid: it drops the data, not the shape
        self.t = None

    def _copy(self, place: Place) -> LoDTensor:
        return LoDTensor.of(self.value().to(device_of(place), copy=True), self.lod_value)

    def _share_data_with(self, other: LoDTensor) -> LoDTensor:
        """Use the memory of another tensor; the LoD is not shared."""
        self.t = other.value()
        return self

    def value(self) -> torch.Tensor:
        """The torch tensor, or an error that says that there is none."""
        if self.t is not None and self.t.is_meta:
            raise NotFoundError("this LoDTensor stands for a table that parameter servers hold; it has no data here")
        if self.t is None:
            raise NotFoundError(
                "this LoDTensor holds no data yet: call set(array, place), or run the program that computes it "
                "(for a parameter, the startup program)"
            )
        return self.t

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        """A C-contiguous copy. With copy=False the tensor's own memory where that is possible."""
        if self.t is None:
            return np.zeros(0, dtype)
        array = self.value().numpy(force=True)
        if copy is not False or not array.flags.c_contiguous:
            array = np.array(array, order="C")
        return array if dtype is None else array.astype(dtype, copy=False)

    def __getitem__(self, key: object) -> LoDTensor:
        """A copy of a part, without LoD. Fluid: an int selects like a slice of one, the axis stays."""
        keys = key if isinstance(key, tuple) else (key,)
        part = self.value()
        if len(keys) > part.dim():
            raise IndexError(f"LoDTensor of shape {self.shape()} has {part.dim()} axes, got {len(keys)} indices")
        for axis, axis_key in enumerate(keys):
            part = _take(part, axis, axis_key)
        return LoDTensor.of(part.clone() if part.numel() else part)

    def __repr__(self) -> str:
        if self.t is None:
            return f"LoDTensor: no data, lod {self.lod()}"
        return tensor_text(self.t, self.lod_value)

    # LoD

    def lod(self) -> list[list[int]]:
        """The offsets of every level; [] where there is no LoD."""
        return [] if self.lod_value is None else self.lod_value.offsets()

    def set_lod(self, lod: Iterable[Iterable[int]]) -> None:
        self._take_lod(LoD(_integers("lod", lod)))

    def recursive_sequence_lengths(self) -> list[list[int]]:
        """The lengths of the sequences of every level; [] where there is no LoD."""
        return [] if self.lod_value is None else self.lod_value.lengths()

    def set_recursive_sequence_lengths(self, recursive_sequence_lengths: Iterable[Iterable[int]]) -> None:
        lengths = _integers("recursive_sequence_lengths", recursive_sequence_lengths)
        self._take_lod(LoD.from_lengths(lengths))

    def has_valid_recursive_sequence_lengths(self) -> bool:
        return self.lod_value is None or lods.is_valid(self.lod_value, self._rows())

    def _take_lod(self, lod: LoD) -> None:
        lods.check(lod, self._rows())
        self.lod_value = lod if lod.levels else None

    def _rows(self) -> int | None:
        """None before anything is set: the LoD may come first."""
        if self.t is None:
            return None
        return self.t.shape[0] if self.t.dim() else 1


def tensor_of(array: object, device: torch.device, copy: bool = True) -> torch.Tensor:
    """A torch tensor with the data and dtype of an array, a (nested) list or a torch tensor."""
    if isinstance(array, torch.Tensor):
        dtypes.var_type(array.dtype)  # refuses what Fluid has no name for
        return array.detach().to(device, copy=copy)
    try:
        data = np.asarray(array)
    except ValueError as e:  # numpy refuses ragged lists
        raise ShapeError(
            f"the rows of a list must all have the same length, got {_short(array)} ({e}); "
            "sequences of different lengths go into create_lod_tensor"
        ) from None
    if data.dtype not in _DTYPES:
        data = _converted(data, array)
    ready = np.array(data, order="C") if copy or not data.flags.writeable else np.asarray(data, order="C")
    t = torch.from_numpy(ready)
    return t if device is CPU else t.to(device)


def _converted(data: np.ndarray, source: object) -> np.ndarray:
    """The two kinds of array that are not of a tensor's dtype and yet taken; an error for all others."""
    if data.dtype == np.uint16:
        return data.view(np.float16)  # Fluid: uint16 are the bits of float16
    native = data.dtype.newbyteorder("=")
    if native in _DTYPES:
        return data.astype(native)
    raise DtypeError(
        f"a tensor's dtype must be one of {', '.join(dtypes.NAME.values())}, got {data.dtype} of {_short(source)}"
    )


def _take(t: torch.Tensor, axis: int, key: int | slice) -> torch.Tensor:
    size = t.shape[axis]
    if isinstance(key, slice):
        chosen = range(size)[key]
    else:
        try:
            position = range(size)[index(key)]
        except TypeError:
            raise IndexError(f"a LoDTensor is indexed by int and slice, got {key!r} for axis {axis}") from None
        except IndexError:
            raise IndexError(f"index {key} is out of range for axis {axis} of size {size}") from None
        chosen = range(position, position + 1)
    return t.index_select(axis, torch.tensor(chosen, dtype=torch.int64, device=t.device))


def _integers(what: str, levels: Iterable[Iterable[SupportsIndex]]) -> list[tuple[int, ...]]:
    try:
        return [tuple(map(index, level)) for level in levels]
    except TypeError:
        raise ArgumentError(f"{what} must be a list of lists of int, got {_short(levels)}") from None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:80] + "..."
