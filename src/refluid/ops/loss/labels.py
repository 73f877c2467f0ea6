"""Checks that the losses share: class labels in range, and matching shapes."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from refluid.core.dtypes import TORCH_NAME
from refluid.core.errors import DtypeError, ShapeError, ValueRangeError
from refluid.ops.registry import INTS, Tensor


def class_index(
    label: Tensor, classes: int, ignore_index: int | None = None, of: str = "X", name: str = "Label"
) -> tuple[Tensor, Tensor | None]:
    """Labels to index classes with, and which of them are ignored (None: no one is).

    An ignored label becomes 0, a valid index; every other label must be a class.
    """
    if label.dtype != torch.int64:
        if label.dtype not in INTS and not label.is_meta:  # as in Fluid, a program with float labels can be built
            raise DtypeError(f"{name} must hold class numbers, int64 or int32, got {TORCH_NAME[label.dtype]}")
        label = label.long()
    if label.is_meta or not label.numel():
        return label, None
    low, high = torch.aminmax(label)
    if low.item() >= 0 and high.item() < classes and (ignore_index is None or not 0 <= ignore_index < classes):
        return label, None
    ignored = None if ignore_index is None else label == ignore_index
    kept = label if ignored is None else label.masked_fill(ignored, 0)
    outside = (kept < 0) | (kept >= classes)
    if outside.any():
        where = outside.nonzero()[0].tolist()
        value = label[tuple(where)].item()
        place = f"row {where[0]}" if not any(where[1:]) else f"position {where}"
        raise ValueRangeError(f"{name} holds {value} at {place}, but {of} has {classes} classes")
    return kept, ignored


def column_of(label: Tensor, shape: Sequence[int], axis: int, of: str = "X") -> Tensor:
    """Hard labels in the shape of the scores with 1 at `axis`; they may come without that axis if it is the last."""
    expected = list(shape)
    expected[axis] = 1
    if list(label.shape) == expected:
        return label
    if axis % len(expected) == len(expected) - 1 and list(label.shape) == expected[:-1]:
        return label.unsqueeze(-1)
    raise ShapeError(f"Label must have shape {expected} to match {of} of shape {list(shape)}, got {list(label.shape)}")


def same_shape(one: Tensor, other: Tensor, names: str) -> None:
    """Refuse two tensors of different shapes; `names` are theirs: "X Y"."""
    if one.shape != other.shape:
        first, second = names.split()
        raise ShapeError(f"{first} has shape {list(one.shape)}, but {second} has {list(other.shape)}")
