"""What goes into a predictor and comes out of it: PaddleTensor with its buffer, and ZeroCopyTensor."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, DtypeError, NotFoundError, ShapeError
from refluid.core.places import CPUPlace
from refluid.tensor.lod_tensor import LoDTensor


class PaddleDType(enum.IntEnum):
    FLOAT32 = 0
    INT64 = 1
    INT32 = 2


_KINDS = {
    np.dtype("float32"): PaddleDType.FLOAT32,
    np.dtype("int64"): PaddleDType.INT64,
    np.dtype("int32"): PaddleDType.INT32,
}


def kind_of(array: np.ndarray) -> PaddleDType:
    try:
        return _KINDS[array.dtype]
    except KeyError:
        raise DtypeError(f"predictor: expected float32, int64 or int32, got {array.dtype}") from None


class PaddleBuf:
    """The flat data of a PaddleTensor."""

    def __init__(self, data: object = ()):
        self.reset(data)

    def reset(self, data: Any) -> None:
        array = np.asarray(data if len(data) else np.zeros(0, "float32"))
        if array.dtype == np.float64:
            array = array.astype("float32")  # a list of Python's floats
        kind_of(array)
        self.array = np.ascontiguousarray(array).reshape(-1)

    def empty(self) -> bool:
        return not self.array.size

    def length(self) -> int:
        """In bytes."""
        return self.array.nbytes

    def resize(self, size: int) -> None:
        count = -(-size // self.array.itemsize)
        self.array = np.resize(self.array, count) if count else self.array[:0]

    def float_data(self) -> list[float]:
        return self.array.view("float32").tolist()

    def int64_data(self) -> list[int]:
        return self.array.view("int64").tolist()

    def int32_data(self) -> list[int]:
        return self.array.view("int32").tolist()

    def tolist(self, dtype: str = "float32") -> list:
        return self.array.view(dtype).tolist()


class PaddleTensor:
    """A named array with a LoD as offsets; `PaddleTensor(array)` or field by field."""

    def __init__(self, data: object = None, name: str = ""):
        self.name = name
        self.lod: list[list[int]] = []
        self.data = PaddleBuf() if data is None else PaddleBuf(np.asarray(data).reshape(-1))
        self.shape = [] if data is None else list(np.asarray(data).shape)
        self.dtype = kind_of(self.data.array)

    def as_ndarray(self) -> np.ndarray:
        wanted = next(dtype for dtype, kind in _KINDS.items() if kind == self.dtype)
        array = self.data.array
        if array.dtype != wanted:
            raise DtypeError(f"PaddleTensor {self.name!r}: dtype says {wanted}, the data are {array.dtype}")
        if int(np.prod(self.shape)) != array.size:
            raise ShapeError(f"PaddleTensor {self.name!r}: the shape {self.shape} does not hold {array.size} numbers")
        return array.reshape(self.shape).copy()

    def lod_tensor(self) -> LoDTensor:
        return lod_tensor(self.as_ndarray(), self.lod)


def lod_tensor(array: np.ndarray, lod: list[list[int]]) -> LoDTensor:
    tensor = LoDTensor()
    tensor.set(array, CPUPlace())
    if lod:
        tensor.set_lod(lod)
    return tensor


class ZeroCopyTensor:
    """One input or output of a predictor, which keeps it between runs."""

    def __init__(self, name: str):
        self._name = name
        self._shape: list[int] | None = None
        self._lod: list[list[int]] = []
        self.array: np.ndarray | None = None

    def reshape(self, shape: Sequence[int]) -> None:
        """The shape of the next `copy_from_cpu`."""
        self._shape = [int(size) for size in shape]

    def copy_from_cpu(self, data: object) -> None:
        array = np.asarray(data)
        kind_of(array)
        if self._shape is not None and int(np.prod(self._shape)) != array.size:
            raise ShapeError(f"{self._name}: reshape({self._shape}) was called, but {array.size} numbers were passed")
        self.array = array.reshape(self._shape if self._shape is not None else array.shape).copy()

    def copy_to_cpu(self) -> np.ndarray:
        return self._value().copy()

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        self._lod = [[int(offset) for offset in level] for level in lod]

    def lod(self) -> list[list[int]]:
        return [list(level) for level in self._lod]

    def shape(self) -> list[int]:
        return list(self._value().shape)

    def type(self) -> PaddleDType:
        return kind_of(self._value())

    def lod_tensor(self) -> LoDTensor:
        return lod_tensor(self._value(), self._lod)

    def hold(self, tensor: LoDTensor) -> None:
        self.array, self._lod = np.array(tensor), tensor.lod()

    def _value(self) -> np.ndarray:
        if self.array is None:
            raise NotFoundError(
                f"{self._name}: there is no data yet; copy_from_cpu for inputs, zero_copy_run for outputs"
            )
        return self.array


def by_order(tensors: list[PaddleTensor], names: list[str], by_name: bool) -> dict[str, LoDTensor]:
    """The feed of a run."""
    wrong = next((one for one in tensors if not isinstance(one, PaddleTensor)), None)
    if wrong is not None:
        raise ArgumentError(f"predictor: inputs must be a list of PaddleTensor, got {type(wrong).__name__}")
    if len(tensors) != len(names):
        raise ArgumentError(f"predictor: expected {len(names)} inputs ({', '.join(names)}), got {len(tensors)}")
    if by_name and sorted(tensor.name for tensor in tensors) != sorted(names):
        raise NotFoundError(f"predictor: expected inputs {names}, got {[tensor.name for tensor in tensors]}")
    chosen = {tensor.name: tensor for tensor in tensors} if by_name else dict(zip(names, tensors, strict=True))
    return {name: chosen[name].lod_tensor() for name in names}


class PaddlePlace(enum.IntEnum):
    """Where a predictor's tensor lies."""

    UNK, CPU, GPU = -1, 0, 1


def paddle_dtype_size(dtype: PaddleDType) -> int:
    """The bytes of one element."""
    return np.dtype(dtype.name.lower()).itemsize


def paddle_tensor_to_bytes(tensor: PaddleTensor) -> bytes:
    """The elements of a tensor as they lie in memory."""
    return tensor.as_ndarray().tobytes()
