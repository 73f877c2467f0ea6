"""Messages between trainers and servers: a small JSON header, then the raw memory of tensors and SelectedRows.

    magic (4 bytes) | length of the header (4, little endian) | header | the buffers, one after the other

The header is {"kind", "fields", "values": [[name, dtype, shape]] or [[name, dtype, shape, rows, height]]}. A receiver
computes from it how many bytes must follow and compares that with what has come before it takes any memory, and nothing
is ever unpickled: a message can hold wrong numbers, but no surprise.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from refluid.core.errors import EnforceNotMet
from refluid.tensor.selected_rows import SelectedRows

Value = torch.Tensor | SelectedRows

_MAGIC = b"RFP1"
_FIXED = len(_MAGIC) + 4
MOST_HEADER = 16 << 20  # a header names variables; 10^5 of them fit
_MOST_AXES = 16
_MOST_ELEMENTS = 1 << 48
_DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
        torch.uint8, torch.bool,
    )
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


class WireError(EnforceNotMet):
    """Bytes that are no message."""


@dataclass
class Message:
    """`fields` are what JSON holds; `values` tensors and SelectedRows by name."""

    kind: str
    fields: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)


def encode(message: Message) -> bytes:
    described: list[list[Any]] = []
    parts: list[Any] = [b"", b"", b""]
    for name, value in message.values.items():
        data = value.value if isinstance(value, SelectedRows) else value
        if data.dtype not in _NAMES:
            raise WireError(f"{name} is {data.dtype}, which does not travel")
        entry = [name, _NAMES[data.dtype], list(data.shape)]
        if isinstance(value, SelectedRows):
            entry += [value.index.numel(), value.n_rows]
            parts.append(_memory(value.index))
        described.append(entry)
        parts.append(_memory(data))
    header = json.dumps({"kind": message.kind, "fields": message.fields, "values": described}).encode()
    if len(header) > MOST_HEADER:
        raise WireError(f"the header of a message has {len(header)} bytes, more than {MOST_HEADER}")
    parts[:3] = _MAGIC, len(header).to_bytes(4, "little"), header
    return b"".join(parts)


def decode(data: bytes) -> Message:
    """The message that `data` holds; WireError if it holds none. Tensors have memory of their own."""
    header, at = _header(data)
    kind, fields, described = header.get("kind"), header.get("fields"), header.get("values")
    if not (isinstance(kind, str) and isinstance(fields, dict) and isinstance(described, list)):
        raise WireError("the header of a message lacks its kind, fields or values")
    entries = [_entry(one) for one in described]
    if len({entry.name for entry in entries}) != len(entries):
        raise WireError("a message has two values of one name")
    expected = at + sum(entry.size for entry in entries)
    if expected != len(data):
        raise WireError(f"the header tells of {expected} bytes, but {len(data)} have come")
    values: dict[str, Value] = {}
    for entry in entries:
        values[entry.name], at = entry.read(data, at)
    return Message(kind, fields, values)


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    if len(data) < _FIXED or data[: len(_MAGIC)] != _MAGIC:
        raise WireError("these bytes do not begin as a message")
    length = int.from_bytes(data[len(_MAGIC) : _FIXED], "little")
    if length > MOST_HEADER or _FIXED + length > len(data):
        raise WireError(f"a header of {length} bytes does not fit into a message of {len(data)}")
    try:
        header = json.loads(data[_FIXED : _FIXED + length])
    except (ValueError, RecursionError):
        raise WireError("the header of a message cannot be read") from None
    if not isinstance(header, dict):
        raise WireError("the header of a message is no object")
    return header, _FIXED + length


@dataclass
class _Entry:
    """What the header says of one value."""

    name: str
    dtype: torch.dtype
    shape: list[int]
    rows: int | None  # of SelectedRows
    height: int

    @property
    def size(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize + 8 * (self.rows or 0)

    def read(self, data: bytes, at: int) -> tuple[Value, int]:
        if self.rows is None:
            return _tensor(data, at, self.shape, self.dtype)
        index, at = _tensor(data, at, [self.rows], torch.int64)
        value, at = _tensor(data, at, self.shape, self.dtype)
        return SelectedRows.of(index, value, self.height), at


def _entry(told: Any) -> _Entry:
    if not isinstance(told, list) or len(told) not in (3, 5):
        raise WireError("a value is described by its name, dtype and shape, and if sparse by its rows and height")
    name, dtype, shape, *sparse = told
    if not isinstance(name, str) or not isinstance(dtype, str) or dtype not in _DTYPES:
        raise WireError(f"a value has the name {name!r:.80} and the dtype {dtype!r:.80}")
    if not isinstance(shape, list) or len(shape) > _MOST_AXES or not all(map(_is_size, [*shape, *sparse])):
        raise WireError(f"{name:.80} has impossible sizes")
    if math.prod(max(1, size) for size in shape) > _MOST_ELEMENTS:
        raise WireError(f"{name:.80} has too many elements")
    if sparse and shape[:1] != sparse[:1]:
        raise WireError(f"{name:.80} has {sparse[0]} rows, but values of shape {shape}")
    rows, height = sparse or (None, 0)
    return _Entry(name, _DTYPES[dtype], shape, rows, height)


def _is_size(size: Any) -> bool:
    return type(size) is int and 0 <= size <= _MOST_ELEMENTS


def _memory(t: torch.Tensor) -> np.ndarray:
    return t.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy()


def _tensor(data: bytes, at: int, shape: list[int], dtype: torch.dtype) -> tuple[torch.Tensor, int]:
    made = torch.empty(shape, dtype=dtype)
    size = made.numel() * dtype.itemsize
    if size:
        # A bool is a byte that is 0 or 1; any other byte would be a third truth value to torch.
        raw = np.frombuffer(data, np.uint8, size, at)
        made.view(-1).view(torch.uint8).numpy()[:] = raw != 0 if dtype == torch.bool else raw
    return made, at + size
