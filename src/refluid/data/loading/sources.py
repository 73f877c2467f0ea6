"""The three kinds of source of a loader, brought to one form: iterators of batches, a batch a list of values.

A value is an array and its LoD. Only numpy is used here: sources may run in a forked process, where torch's threads
do not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.data.fields import Field, columns_of
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor

Value = tuple[np.ndarray, LoD | None]
Source = Callable[[], Iterator[list[Value]]]


def from_sample_lists(reader: Callable[[], Any], fields: Sequence[Field] | None, owner: str) -> Source:
    """Batches are lists of samples. Without fields (the imperative mode) the data decide on dtypes and shapes."""

    def batches() -> Iterator[list[Value]]:
        for batch in _batches(reader, owner):
            if fields is not None:
                columns = columns_of(batch, [field.name for field in fields], owner)
                yield [field.array(column) for field, column in zip(fields, columns, strict=True)]
            else:
                names = (
                    [f"field {i}" for i in range(len(batch[0]))]
                    if batch and hasattr(batch[0], "__len__")
                    else ["field 0"]
                )
                columns = columns_of(batch, names, owner)
                yield [(stacked(column, f"{owner}: {name}"), None) for name, column in zip(names, columns, strict=True)]

    return batches


def from_batches(reader: Callable[[], Any], names: Sequence[str] | None, owner: str) -> Source:
    """Batches are lists of arrays, LoDTensors or nested lists; they are copied, for a reader may use them again."""

    def batches() -> Iterator[list[Value]]:
        for number, batch in enumerate(_batches(reader, owner)):
            yield values(batch, names, str(number), owner)

    return batches


def values(batch: object, names: Sequence[str] | None, which: str, owner: str, copy: bool = True) -> list[Value]:
    """The values of a batch that is a list of arrays, one per name."""
    if isinstance(batch, np.ndarray | LoDTensor):
        batch = [batch]
    if not isinstance(batch, list | tuple):
        raise ArgumentError(
            f"{owner}: batch {which} must be a list of arrays, one per variable, got {type(batch).__name__}"
        )
    if names is not None and len(batch) != len(names):
        raise ArgumentError(
            f"{owner}: batch {which} has {len(batch)} fields, expected {len(names)}: {', '.join(names)}"
        )
    return [_value(one, names[i] if names else f"field {i}", which, owner, copy) for i, one in enumerate(batch)]


def _batches(reader: Callable[[], Any], owner: str) -> Iterator[Any]:
    found = reader()
    if not isinstance(found, Iterable):
        raise ArgumentError(f"{owner}: the reader must return an iterable, got {type(found).__name__}")
    yield from found


def _value(item: object, name: str, which: str, owner: str, copy: bool) -> Value:
    if isinstance(item, LoDTensor):
        return np.array(item), item.lod_value
    try:
        array = np.array(item) if copy else np.asarray(item)
    except ValueError as problem:
        raise ShapeError(f"{owner}: {name} of batch {which} is not rectangular ({problem})") from None
    if array.dtype == object:
        raise ArgumentError(
            f"{owner}: {name} of batch {which} must be an array or a LoDTensor, got {type(item).__name__}"
        )
    return array, None


def stacked(column: Sequence[Any], what: str) -> np.ndarray:
    """The entries of a column as one array."""
    try:
        return np.array(column)
    except ValueError:
        first = np.shape(column[0])
        number = next((i for i, one in enumerate(column) if _shape(one) != first), 0)
        raise ShapeError(
            f"{what}: sample {number} has the shape {_shape(column[number])}, those before it {first}"
        ) from None


def _shape(one: Any) -> tuple[int, ...] | str:
    try:
        return np.shape(one)
    except ValueError:
        return "of a ragged list"
