"""Instances as bytes, for other processes: how many, their marks, how many values each slot of each has, the values."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.data.ctr.slots import Instance, Marks, Slot, numpy_dtype

_COUNT = struct.Struct("<Q")


def pack(instances: Sequence[Instance], slots: Sequence[Slot]) -> bytes:
    used = [slot for slot in slots if slot.used]
    counts = np.array([[len(values) for values in one] for one in instances], "<u4").reshape(len(instances), len(used))
    marks = b"\n".join(b" ".join(one.marks) for one in instances)
    parts = [_COUNT.pack(len(instances)), _COUNT.pack(len(marks)), marks, counts.tobytes()]
    for column, slot in enumerate(used):
        parts.extend(one[column].astype(numpy_dtype(slot), copy=False).tobytes() for one in instances)
    return b"".join(parts)


def unpack(data: bytes, slots: Sequence[Slot]) -> list[Instance]:
    """What `pack` made of instances with the same slots."""
    used = [slot for slot in slots if slot.used]
    (count,) = _COUNT.unpack_from(data)
    (length,) = _COUNT.unpack_from(data, _COUNT.size) if len(data) >= 2 * _COUNT.size else (0,)
    first = 2 * _COUNT.size + length
    offset = first + 4 * count * len(used)
    if offset > len(data):
        raise ArgumentError(f"global_shuffle: {count} instances announced, but {len(data)} bytes arrived")
    marks = [Marks(*line.split(b" ")) for line in data[2 * _COUNT.size : first].split(b"\n")]
    counts = np.frombuffer(data, "<u4", count * len(used), first).reshape(count, len(used))
    whole = offset + sum(int(counts[:, i].sum()) * numpy_dtype(slot).itemsize for i, slot in enumerate(used))
    if whole != len(data):
        raise ArgumentError(
            f"global_shuffle: {count} instances of these {len(used)} slots need {whole} bytes, got {len(data)}; "
            "do all workers use the same variables?"
        )
    columns = []
    for i, slot in enumerate(used):
        dtype, edges = numpy_dtype(slot), np.cumsum(counts[:, i])
        total = int(edges[-1]) if count else 0
        columns.append(np.split(np.frombuffer(data, dtype, total, offset).copy(), edges[:-1]) if count else [])
        offset += total * dtype.itemsize
    return [_marked(values, mark) for values, mark in zip(zip(*columns, strict=True), marks, strict=False)]


def _marked(values: Sequence[np.ndarray], marks: Marks) -> Instance:
    made = Instance(values)
    made.marks = marks
    return made
