"""Whether a feed fits the variable that it is for, and whether a program has feed and fetch operators of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, ShapeError
from refluid.core.places import Place
from refluid.executor.executor import to_numpy
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.tensor_array import LoDTensorArray

if TYPE_CHECKING:
    from torch import Tensor

    from refluid.core.types import Dtype
    from refluid.ir.base_variable import BaseVariable


def as_numpy(tensor: Tensor) -> np.ndarray | list[Any] | None:
    """A LoDTensor as a numpy array, an array or a list of them as a list; None of one that is empty.

    One with a LoD is refused, as a numpy array cannot have it.
    """
    if isinstance(tensor, list | LoDTensorArray):
        return [as_numpy(one) for one in tensor]
    if not isinstance(tensor, LoDTensor):
        raise ArgumentError(f"as_numpy: expected a LoDTensor or a list of them, got {type(tensor).__name__}")
    if tensor.lod():
        raise EnforceNotMet("as_numpy: the tensor has a LoD, which no numpy array can hold; use the LoDTensor itself")
    return to_numpy(tensor, "as_numpy") if tensor.t is not None else None


def _as_lodtensor(data: object, place: Place, dtype: Dtype | None = None) -> LoDTensor:
    """A numpy array, a number or a list of numbers as a LoDTensor; plain numbers take the dtype."""
    kind = None if dtype is None or isinstance(data, np.ndarray) else dtypes.numpy_dtype(dtype)
    array = np.asarray(data, kind)
    if array.dtype == object:
        raise DtypeError("_as_lodtensor: lists of different lengths have no shape; use fluid.create_lod_tensor")
    tensor = LoDTensor()
    tensor.set(array.reshape(1) if array.ndim == 0 else array, place)
    return tensor


def dtype_is_compatible_with(first: Dtype, second: Dtype) -> bool:
    """Whether two dtypes, in whatever spelling, are the same."""
    return dtypes.var_type(first) == dtypes.var_type(second)


def dimension_is_compatible_with(first: Sequence[int | None], second: Sequence[int | None]) -> bool:
    """Whether two shapes can be the same; None and numbers below 0 stand for a size that is not known."""
    return len(first) == len(second) and all(
        a is None or b is None or a < 0 or b < 0 or a == b for a, b in zip(first, second, strict=True)
    )


def diff_tensor_shape(feed: LoDTensor, var: BaseVariable, num_places: int) -> list[int] | None:
    """None if the part of a feed that each place gets has the shape of a variable (or its desc), else its shape."""
    declared = var.shape() if callable(var.shape) else var.shape
    sizes = list(feed.shape())
    sizes[:1] = [size // num_places for size in sizes[:1]]
    return None if dimension_is_compatible_with(declared, sizes) else sizes


def check_feed_shape_type(var: Variable, feed: LoDTensor, num_places: int = 1) -> bool:
    """Refuse a feed that is not what a variable of `fluid.data` is declared as; the batch is dealt out over places."""
    if not var.need_check_feed:
        return True
    sizes = diff_tensor_shape(feed, var, num_places)
    if sizes is not None:
        raise ShapeError(f"feed {var.name!r}: the variable is declared {list(var.shape)}, got the shape {sizes}")
    if not dtype_is_compatible_with(feed._dtype(), var.dtype):
        got, want = dtypes.dtype_name(feed._dtype()), dtypes.dtype_name(var.dtype)
        raise DtypeError(f"feed {var.name!r}: the variable is declared {want}, got {got}")
    return True


def has_feed_operators(block: Block, feed_targets: Collection[str], feed_holder_name: str) -> bool:
    """Whether the block begins with feed operators; they must be for these variables and from this holder."""
    ops = [op for op in block.ops if op.type == "feed"]
    _must_name([op.input("X")[0] for op in ops], feed_holder_name)
    _must_match("feed", [op.output("Out")[0] for op in ops], list(feed_targets))
    return bool(ops)


def has_fetch_operators(block: Block, fetch_targets: Sequence[Any], fetch_holder_name: str) -> bool:
    """Whether the block has fetch operators; they must be of these variables, in this order, into this holder."""
    ops = sorted((op for op in block.ops if op.type == "fetch"), key=lambda op: op.attrs["col"])
    _must_name([op.output("Out")[0] for op in ops], fetch_holder_name)
    names = [one if isinstance(one, str) else one.name for one in fetch_targets]
    _must_match("fetch", [op.input("X")[0] for op in ops], names)
    return bool(ops)


def _must_name(holders: list[str], wanted: str) -> None:
    if set(holders) - {wanted}:
        raise ArgumentError(f"the operators of the program use {holders[0]!r}, not {wanted!r}")


def _must_match(kind: str, found: list[str], wanted: list[str]) -> None:
    if found and (sorted(found) if kind == "feed" else found) != (sorted(wanted) if kind == "feed" else wanted):
        raise ArgumentError(f"the program has {kind} operators for {', '.join(found)}, not for {', '.join(wanted)}")
