"""Messages between trainers and servers: a small JSON header, then the raw memory of tensors and SelectedRows.

    magic (4 bytes) | length of the header (4, little endian) | header | the buffers, one after the other

The header is {"kind", "fields", "values": [[name, dtype, shape]] or [[name, dtype, shape, rows, height]]}. A receiver
computes from it how many bytes must follow and compares that with what has come before it takes any memory, and nothing
is ever unpickled: a message can hold wrong numbers, but no code.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from refluid.core.errors import EnforceNotMet
from refluid.tensor.selected_rows import SelectedRows

Value = torch.Tensor | SelectedRows
Part = bytes | np.ndarray

_MAGIC = b"RFP1"
_FIXED = len(_MAGIC) + 4
MOST_HEADER = 16 << 20  # a header names variables; 10^5 of them fit
_ALIGNED = 64  # where the memory of tensors begins
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
    """The bytes are no message."""


@dataclass
class Message:
    """`fields` are what JSON holds; `values` tensors and SelectedRows by name."""

    kind: str
    fields: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)

    def tensors(self) -> dict[str, torch.Tensor]:
        """The values of a message that must hold tensors alone."""
        tensors = {name: value for name, value in self.values.items() if isinstance(value, torch.Tensor)}
        if len(tensors) < len(self.values):
            raise WireError(f"a message {self.kind!r} must hold tensors alone, but has SelectedRows")
        return tensors


def parts_of(message: Message) -> list[Part]:
    """The bytes of a message, piece by piece; those of tensors are not copied."""
    described: list[list[Any]] = []
    parts: list[Part] = [b""]
    for name, value in message.values.items():
        data = value.value if isinstance(value, SelectedRows) else value
        if data.dtype not in _NAMES:
            raise WireError(f"{name} is {data.dtype}, which cannot be sent")
        entry: list[Any] = [name, _NAMES[data.dtype], list(data.shape)]
        if isinstance(value, SelectedRows):
            entry += [value.index.numel(), value.n_rows]
            parts.append(_memory(value.index))
        described.append(entry)
        parts.append(_memory(data))
    header = json.dumps({"kind": message.kind, "fields": message.fields, "values": described}).encode()
    header += b" " * (-(_FIXED + len(header)) % _ALIGNED)
    if len(header) > MOST_HEADER:
        raise WireError(f"the header of a message has {len(header)} bytes, more than {MOST_HEADER}")
    parts[0] = _MAGIC + len(header).to_bytes(4, "little") + header
    return parts


def size_of(parts: list[Part]) -> int:
    return sum(map(len, parts))


def joined(parts: list[Part]) -> bytes:
    return b"".join(parts)  # type: ignore[arg-type]  # numpy's stubs know buffers from Python 3.12 on


def encode(message: Message) -> bytes:
    return joined(parts_of(message))


def write(parts: list[Part], memory: memoryview) -> None:
    """The message at the beginning of `memory`, which has room for it."""
    target, at = np.frombuffer(memory, np.uint8), 0
    for part in parts:
        target[at : at + len(part)] = np.frombuffer(part, np.uint8)
        at += len(part)


def decode(data: bytes | memoryview) -> Message:
    """The message that `data` holds; WireError if it holds none.

    Tensors lie in a copy of `data`, or in `data` itself if it is a memoryview that may be written to.
    """
    header, offset = _header(data)
    kind, fields, described = header.get("kind"), header.get("fields"), header.get("values")
    if not (isinstance(kind, str) and isinstance(fields, dict) and isinstance(described, list)):
        raise WireError("the header of a message lacks its kind, fields or values")
    entries = [_entry(one) for one in described]
    if len({entry.name for entry in entries}) != len(entries):
        raise WireError("a message has two values of one name")
    expected = offset + sum(sum(entry.sizes) for entry in entries)
    if expected != len(data):
        raise WireError(f"the header announces {expected} bytes, but {len(data)} have arrived")
    if not entries:
        return Message(kind, fields)
    parts = iter(_payload(data, offset).split_with_sizes([size for entry in entries for size in entry.sizes]))
    return Message(kind, fields, {entry.name: entry.read(parts) for entry in entries})


def _header(data: bytes | memoryview) -> tuple[dict[str, Any], int]:
    if len(data) < _FIXED or data[: len(_MAGIC)] != _MAGIC:
        raise WireError("these bytes do not begin with the magic number of a message")
    length = int.from_bytes(data[len(_MAGIC) : _FIXED], "little")
    if length > MOST_HEADER or _FIXED + length > len(data):
        raise WireError(f"a header of {length} bytes does not fit into a message of {len(data)}")
    try:
        header = json.loads(bytes(data[_FIXED : _FIXED + length]))
    except (ValueError, RecursionError):
        raise WireError("the header of a message cannot be read") from None
    if not isinstance(header, dict):
        raise WireError("the header of a message is no object")
    return header, _FIXED + length


@dataclass
class _Entry:
    """The description of one value in the header."""

    name: str
    dtype: torch.dtype
    shape: list[int]
    rows: int | None  # of SelectedRows
    height: int

    @property
    def sizes(self) -> list[int]:
        """Bytes of its parts."""
        value = math.prod(self.shape) * self.dtype.itemsize
        return [value] if self.rows is None else [8 * self.rows, value]

    def read(self, parts: Iterator[torch.Tensor]) -> Value:
        if self.rows is None:
            return _typed(next(parts), self.shape, self.dtype)
        index = _typed(next(parts), [self.rows], torch.int64)
        return SelectedRows.of(index, _typed(next(parts), self.shape, self.dtype), self.height)


def _entry(told: object) -> _Entry:
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


def _is_size(size: object) -> bool:
    return type(size) is int and 0 <= size <= _MOST_ELEMENTS


def _memory(t: torch.Tensor) -> np.ndarray:
    if t.requires_grad or t.device.type != "cpu":
        t = t.detach().cpu()
    return t.contiguous().view(-1).view(torch.uint8).numpy()


def _payload(data: bytes | memoryview, at: int) -> torch.Tensor:
    """The bytes behind the header: those of `data`, if it may be written to, or a copy."""
    if at == len(data):
        return torch.empty(0, dtype=torch.uint8)
    if isinstance(data, memoryview) and not data.readonly:
        return torch.frombuffer(data, dtype=torch.uint8, offset=at)
    return torch.from_numpy(np.frombuffer(data, np.uint8, offset=at).copy())


def _typed(part: torch.Tensor, shape: list[int], dtype: torch.dtype) -> torch.Tensor:
    if dtype == torch.bool:  # a byte that is 0 or 1; any other byte would be a third truth value to torch
        return (part != 0).view(shape)
    if part.storage_offset() % dtype.itemsize:
        part = part.clone()
    return part.view(dtype).view(shape)
