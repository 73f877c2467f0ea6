"""The records of a tensor and of selected rows in a file, as Fluid writes them; little endian."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Sequence
from typing import IO

import numpy as np
import torch

from refluid.core import dtypes
from refluid.core.errors import EnforceNotMet
from refluid.saving.schema import TensorDesc
from refluid.tensor import lod as lods
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.selected_rows import SelectedRows


def write_tensor(file: IO[bytes], tensor: LoDTensor) -> None:
    """Append the record: version, LoD, and the tensor."""
    levels = tensor.lod()
    file.write(struct.pack("<IQ", 0, len(levels)))
    for level in levels:
        data = np.asarray(level, dtype="<u8").tobytes()
        file.write(struct.pack("<Q", len(data)) + data)
    _write_data(file, tensor.value())


def write_rows(file: IO[bytes], rows: SelectedRows) -> None:
    """Append the record: version, rows, height, and the tensor of values."""
    write_rows_head(file, rows.index, rows.n_rows, rows.value.dtype, rows.value.shape[1:])
    write_elements(file, rows.value)


def write_rows_head(
    file: IO[bytes], index: torch.Tensor, height: int, dtype: torch.dtype, shape: Sequence[int]
) -> None:
    """Begin the record of rows of this shape; their elements follow piece by piece (`write_elements`)."""
    numbers = index.numpy(force=True).astype("<i8")
    file.write(struct.pack("<IQ", 0, len(numbers)) + numbers.tobytes() + struct.pack("<q", height))
    _write_description(file, dtype, [len(numbers), *shape])


def write_value(file: IO[bytes], value: LoDTensor | SelectedRows) -> None:
    """Append whatever a persistable variable holds."""
    if isinstance(value, SelectedRows):
        write_rows(file, value)
    else:
        write_tensor(file, value)


def write_tensor_head(file: IO[bytes], dtype: torch.dtype, shape: Sequence[int]) -> None:
    """Begin the record of a tensor without LoD whose elements follow piece by piece (`write_elements`)."""
    file.write(struct.pack("<IQ", 0, 0))
    _write_description(file, dtype, shape)


def write_elements(file: IO[bytes], t: torch.Tensor) -> None:
    """Append the elements of a tensor, row by row."""
    file.write(np.ascontiguousarray(t.numpy(force=True)).data.cast("B") if t.numel() else b"")


def _write_data(file: IO[bytes], t: torch.Tensor) -> None:
    _write_description(file, t.dtype, t.shape)
    write_elements(file, t)


def _write_description(file: IO[bytes], dtype: torch.dtype, shape: Sequence[int]) -> None:
    desc = TensorDesc(data_type=int(dtypes.FROM_TORCH[dtype]), dims=list(shape)).SerializeToString()
    file.write(struct.pack("<Ii", 0, len(desc)) + desc)


class RecordReader:
    """Reads the records of a file one after another. No size that a file states is believed before it is checked."""

    def __init__(self, file: IO[bytes], path: str):
        self._file, self.path = file, path
        self.left = _length(file)
        self.what = path  # file and variable, for errors

    def tensor(self, name: str) -> LoDTensor:
        offsets = self._head(name)
        t = self._data()
        lod = LoD(offsets) if offsets else None
        if lod is not None and not lods.is_valid(lod, t.shape[0] if t.dim() else 1):
            raise self._error(f"the LoD {_short(offsets)} does not fit the shape {list(t.shape)}")
        return LoDTensor.of(t, lod)

    def piece(self, name: str, whole: Sequence[int], first: int, shape: Sequence[int]) -> torch.Tensor:
        """A piece of a tensor of the shape `whole`, from element `first` on; the rest is not read."""
        self._head(name)
        dtype, dims = self._description()
        if dims != list(whole):
            raise self._error(f"the shape is {dims}, but the program has {list(whole)}")
        before, behind = first, math.prod(dims) - first - math.prod(shape)
        if before < 0 or behind < 0:
            raise self._error(f"a piece of shape {list(shape)} from element {first} on does not lie within {dims}")
        self._skip(before * dtype.itemsize)
        array = self._array(dtype, list(shape), "the data")
        self._skip(behind * dtype.itemsize)
        return torch.from_numpy(array)

    def _head(self, name: str) -> list[list[int]]:
        """The LoD."""
        self.what = f"{self.path}, variable {name}"
        version, levels = self._unpack("<IQ", "the header")
        if version != 0 or levels > 64:
            raise self._error(f"this is not a tensor file (version {version}, {levels} LoD levels)")
        offsets = []
        for _ in range(levels):
            (length,) = self._unpack("<Q", "the LoD")
            if length % 8:
                raise self._error(f"a level of the LoD has {length} bytes, which is no multiple of 8")
            offsets.append(self._array(np.dtype("<u8"), [length // 8], "the LoD").tolist())
        return offsets

    def rows(self, name: str, any_id: bool = False) -> SelectedRows:
        """Rows that lie within the height, or with `any_id` those of a table that may have grown beyond it."""
        self.what = f"{self.path}, variable {name}"
        version, count = self._unpack("<IQ", "the header")
        if version != 0:
            raise self._error(f"this is not a file of selected rows (version {version})")
        index = self._array(np.dtype("<i8"), [count], "the rows")
        (height,) = self._unpack("<q", "the height")
        value = self._data()
        if not value.dim() or value.shape[0] != count:
            raise self._error(f"{count} rows are listed, but the values have the shape {list(value.shape)}")
        if height < 0 or (count and not any_id and not 0 <= index.min() <= index.max() < height):
            raise self._error(f"the rows do not lie within the height {height}")
        return SelectedRows.of(torch.from_numpy(index), value, height)

    def _data(self) -> torch.Tensor:
        dtype, dims = self._description()
        return torch.from_numpy(self._array(dtype, dims, "the data"))

    def _description(self) -> tuple[np.dtype, list[int]]:
        version, length = self._unpack("<Ii", "the tensor header")
        if version != 0:
            raise self._error(f"tensor version {version} is not known, only 0 is")
        desc = TensorDesc()
        raw = self._array(np.dtype("u1"), [length], "the tensor description").tobytes()
        try:
            desc.ParseFromString(raw)
            dtype = dtypes.numpy_dtype(dtypes.VarType(desc.data_type))
        except Exception as error:  # protobuf's own errors, and numbers that are no dtype
            raise self._error(f"the tensor description cannot be read ({error})") from None
        return dtype, list(desc.dims)

    def _skip(self, size: int) -> None:
        self._claim(size, "the data")
        self._file.seek(size, os.SEEK_CUR)

    def _unpack(self, form: str, part: str) -> tuple:
        size = struct.calcsize(form)
        self._claim(size, part)
        return struct.unpack(form, self._file.read(size))

    def _array(self, dtype: np.dtype, shape: list[int], part: str) -> np.ndarray:
        """An array of its own memory, taken only if the file holds that much."""
        if any(size < 0 for size in shape) or len(shape) > 64:
            raise self._error(f"{part} has an impossible shape {_short(shape)}")
        count = math.prod(shape)
        self._claim(count * dtype.itemsize, f"{part} of shape {_short(shape)}")
        array = np.empty(count, dtype)
        if self._file.readinto(array.data.cast("B")) != array.nbytes:  # type: ignore[attr-defined]
            raise self._error(f"the file changed while {part} was read")
        if dtype.kind == "b" and count and array.view("u1").max() > 1:
            raise self._error("booleans other than 0 and 1")
        return array.reshape(shape)

    def _claim(self, size: int, part: str) -> None:
        if size < 0 or size > self.left:
            raise self._error(
                f"the file ends in the middle of {part}: {size} bytes are needed, {self.left} are left; "
                "it is truncated or not what it should be"
            )
        self.left -= size

    def _error(self, problem: str) -> EnforceNotMet:
        return EnforceNotMet(f"{self.what}: {problem}")


def _length(file: IO[bytes]) -> int:
    here = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(here)
    return end - here


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
