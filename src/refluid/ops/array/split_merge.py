"""split_lod_tensor, merge_lod_tensor: the rows (or sequences) of a batch split by a mask, and merged again."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.backward_ops import BackwardOp, Call
from refluid.ops.infer import Spec
from refluid.ops.registry import BOOLS, LoD, Tensor, op


@op("OutTrue OutFalse", dtypes={"Mask": BOOLS})
def split_lod_tensor(X: Tensor, X_lod: LoD | None, Mask: Tensor, *, level: int = 0) -> tuple[Tensor, Tensor]:
    """OutTrue and OutFalse are the rows of X where Mask is true and where it is not; with LoD, the sequences."""
    rows = _rows(X.shape[0], X_lod, Mask, level)
    return X[rows], X[~rows]


@split_lod_tensor.infer
def _infer_split(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x = inputs[0]
    part = Spec((-1, *x.shape[1:]), x.dtype)
    return [part, part]


@split_lod_tensor.lods
def _lods_of_parts(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    lod, mask = ins[0], values[1].reshape(-1).tolist()
    if lod is None:
        return [None, None]
    return [_chosen(lod, [bool(m) is wanted for m in mask], attrs.get("level", 0)) for wanted in (True, False)]


def _chosen(lod: LoD, keep: list[bool], level: int) -> LoD:
    """The LoD of the chosen sequences of one level, with the levels below it."""
    levels = []
    for lengths in lod.lengths()[level:]:
        levels.append([n for n, kept in zip(lengths, keep, strict=True) if kept])
        keep = [kept for n, kept in zip(lengths, keep, strict=True) for _ in range(n)]
    return LoD.from_lengths(levels)


@op("Out", dtypes={"Mask": BOOLS}, lod="X", nograd="X")
def merge_lod_tensor(
    X: Tensor, X_lod: LoD | None, Mask: Tensor, InTrue: Tensor | None, InFalse: Tensor | None, *, level: int = 0
) -> Tensor:
    """Out has the rows of InTrue where Mask is true and those of InFalse where it is not, in their order."""
    filled = InTrue if InTrue is not None else InFalse
    if filled is None:
        raise ShapeError("neither InTrue nor InFalse has rows")
    count = (0 if InTrue is None else InTrue.shape[0]) + (0 if InFalse is None else InFalse.shape[0])
    rows = _rows(count, X_lod, Mask, level)
    out = filled.new_zeros((count, *filled.shape[1:]))
    if InTrue is not None and InTrue.shape[0]:
        out[rows] = InTrue
    if InFalse is not None and InFalse.shape[0]:
        out[~rows] = InFalse
    return out


@op("Out", dtypes={"Mask": BOOLS}, lod="X", nograd="*")
def merge_lod_tensor_infer(
    X: Tensor, X_lod: LoD | None, Mask: Tensor, InTrue: Tensor | None, InFalse: Tensor | None, *, level: int = 0
) -> Tensor:
    """merge_lod_tensor in programs for testing."""
    return merge_lod_tensor.kernel(X, X_lod, Mask, InTrue, InFalse, level=level)


@merge_lod_tensor.infer
@merge_lod_tensor_infer.infer
def _infer_merge(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    part = inputs[2] or inputs[3]
    return [Spec((inputs[0].shape[0], *part.shape[1:]), part.dtype)]


def _rows(count: int, lod: LoD | None, Mask: Tensor, level: int) -> Tensor:
    """Which rows belong to a true element of Mask."""
    mask = Mask.reshape(-1)
    if lod is not None:
        mask = mask.repeat_interleave(torch.tensor(lod.down_to_rows(level)).diff())
    if mask.numel() != count:
        raise ShapeError(f"Mask chooses among {mask.numel()} rows, but there are {count}")
    return mask


@split_lod_tensor.gradient_ops
def _merged_back(op: Call) -> list[BackwardOp]:
    parts = {"InTrue": op.output("OutTrue"), "InFalse": op.output("OutFalse")}
    inputs, attrs = {"X": op.input("X"), "Mask": op.input("Mask")}, {"level": op.attrs["level"]}
    return [BackwardOp("merge_lod_tensor", parts, {"Out": op.input("X")}, attrs, inputs, optional=True)]


@merge_lod_tensor.gradient_ops
def _split_back(op: Call) -> list[BackwardOp]:
    parts = {"OutTrue": op.input("InTrue"), "OutFalse": op.input("InFalse")}
    inputs, attrs = {"Mask": op.input("Mask")}, {"level": op.attrs["level"]}
    return [BackwardOp("split_lod_tensor", {"X": op.output("Out")}, parts, attrs, inputs, optional=True)]
