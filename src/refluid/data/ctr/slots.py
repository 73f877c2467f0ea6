"""MultiSlot lines: for every slot the number of its values, then the values; all separated by blanks.

`2 11 12 1 0.5` are two values of a first slot and one of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from refluid.core import dtypes
from refluid.core.errors import ArgumentError
from refluid.core.places import CPU
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor, tensor_of

if TYPE_CHECKING:
    from refluid.ir.variable import Variable

_NUMPY: dict[str, np.dtype] = {"uint64": np.dtype(np.int64), "float": np.dtype(np.float32)}
_KINDS = {"int64": "uint64", "int32": "uint64", "float32": "float", "float64": "float"}


class Slot(NamedTuple):
    """A column of the files. Sparse ones have any number of values per line and become sequences."""

    name: str
    kind: str  # "uint64" or "float", as in Fluid's descriptions
    dense: bool
    shape: tuple[int, ...]  # of a dense one, -1 for the size of a batch
    used: bool = True

    @classmethod
    def of(cls, var: Variable) -> Slot:
        """The slot that fills a variable."""
        if not hasattr(var, "dtype"):
            raise ArgumentError(f"set_use_var: var_list must hold Variables, got {var!r:.60}")
        name = dtypes.dtype_name(var.dtype)
        if name not in ("int64", "float32"):
            raise ArgumentError(f"set_use_var: {var.name} must be int64 or float32, got {name}")
        return cls(var.name, _KINDS[name], var.lod_level == 0, tuple(var.shape))


class Marks(NamedTuple):
    """What a line may say of its instance before the slots, each as `1 word`."""

    ins_id: bytes = b""
    content: bytes = b""
    log_key: bytes = b""


class Instance(list[np.ndarray]):
    """The values of every used slot, and the marks of the line."""

    marks = Marks()


def numpy_dtype(slot: Slot) -> np.dtype:
    return _NUMPY[slot.kind]


def parse(line: bytes, slots: Sequence[Slot], where: str, marked: Sequence[str] = ()) -> Instance:
    """The values of a line; `marked` are the fields of Marks that it begins with."""
    parts = line.split()
    instance, position = Instance(), 2 * len(marked)
    if marked:
        if parts[:position:2] != [b"1"] * len(marked):
            raise ArgumentError(f"{where}: the line must begin with `1 word` for each of {', '.join(marked)}")
        instance.marks = Marks(**dict(zip(marked, parts[1:position:2], strict=True)))
    for slot in slots:
        try:
            count = int(parts[position])
        except (IndexError, ValueError):
            got = parts[position] if position < len(parts) else "the end of the line"
            raise ArgumentError(
                f"{where}: slot {slot.name} must begin with the number of its values, got {got!r}"
            ) from None
        if count < 1:
            raise ArgumentError(f"{where}: slot {slot.name} has {count} values; write a padding value for an empty one")
        values = parts[position + 1 : position + 1 + count]
        if len(values) < count:
            raise ArgumentError(f"{where}: slot {slot.name} announces {count} values, but {len(values)} follow")
        position += 1 + count
        if slot.used:
            instance.append(_numbers(values, slot, where))
    if position < len(parts):
        raise ArgumentError(f"{where}: {len(parts) - position} values are left over after the slot {slots[-1].name}")
    return instance


def _numbers(values: list[bytes], slot: Slot, where: str) -> np.ndarray:
    try:
        if slot.kind == "float":
            return np.array(values, dtype=np.float32)
        numbers = list(map(int, values))
        try:
            return np.array(numbers, dtype=np.int64)
        except OverflowError:  # features are often hashes of 64 bits; their upper half is negative as int64
            return np.array(numbers, dtype=np.uint64).view(np.int64)
    except (ValueError, OverflowError) as problem:
        raise ArgumentError(f"{where}: slot {slot.name} holds {slot.kind} values ({problem})") from None


def tensors(instances: Sequence[Instance], slots: Sequence[Slot]) -> dict[str, LoDTensor]:
    """A batch of instances, by the names of the used slots."""
    used = [slot for slot in slots if slot.used]
    return {slot.name: _tensor(column, slot) for slot, column in zip(used, zip(*instances, strict=True), strict=True)}


def _tensor(column: Sequence[np.ndarray], slot: Slot) -> LoDTensor:
    flat = np.concatenate(column)
    if not slot.dense:
        lod = LoD.from_lengths([list(map(len, column))])
        return LoDTensor.of(tensor_of(flat.reshape(-1, 1), CPU, copy=False), lod)
    sizes = slot.shape[1:] if slot.shape else (len(column[0]),)
    row = prod(sizes)
    for number, values in enumerate(column):
        if row > 0 and len(values) != row:
            raise ArgumentError(
                f"slot {slot.name} is dense with {row} values, but instance {number} of the batch has {len(values)}"
            )
    return LoDTensor.of(tensor_of(flat.reshape(len(column), *sizes), CPU, copy=False))
