"""Operators of DynamicRNN: sequences of different lengths as steps, each with the sequences that are not over yet.

The gradients of the two that turn sequences into an array of steps and back are one another.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.array.array import element
from refluid.ops.backward_ops import BackwardOp, Call, from_x_to_out
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Shape, Tensor, op
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.rank_table import RankTable as Table, select_rows, select_sequences
from refluid.tensor.tensor_array import LoDTensorArray


@op("Out", lod=None, nograd="*")
def lod_rank_table(X: Tensor, X_lod: LoD | None, *, level: int = 0) -> Table:
    """Out ranks the sequences of one LoD level of X by their lengths."""
    levels = 0 if X_lod is None else len(X_lod)
    if X_lod is None or not 0 <= level < levels:
        raise ShapeError(f"X must have a LoD with the level {level}, but it has {levels} levels")
    return Table(X_lod, level)


@lod_rank_table.infer
def _infer_table(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None]  # no tensor


@op("Out", lod=None, nograd="*")
def max_sequence_len(RankTable: Tensor, *, device: torch.device) -> Tensor:
    """Out, int64 [1], is the length of the longest sequence."""
    return torch.tensor([RankTable.steps], device=device)  # type: ignore[attr-defined]


@max_sequence_len.infer
def _infer_length(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [Spec((1,), torch.int64)]


@op("Out", lod=None, nograd="*")
def lod_tensor_to_array(X: Tensor, X_lod: LoD | None, RankTable: Tensor) -> LoDTensorArray:
    """The elements of Out are the steps of the sequences in X: of those that have the step, longest first."""
    table: Table = RankTable  # type: ignore[assignment]
    inner = LoD(X_lod.levels[table.level + 1 :]) if X_lod is not None and len(X_lod) > table.level + 1 else None
    count = inner.count(0) if inner is not None else X.shape[0]
    if count != sum(table.lengths):
        raise ShapeError(f"X has {count} elements, but the sequences of RankTable have {sum(table.lengths)}")
    if inner is None:
        rows = [row for step in table.by_step for row in step]
        parts = select_rows(X, rows).split([len(step) for step in table.by_step]) if rows else ()
        return LoDTensorArray(LoDTensor.of(part) for part in parts)
    steps = (select_sequences(inner, step) for step in table.by_step)
    return LoDTensorArray(LoDTensor.of(select_rows(X, rows), lod) for rows, lod in steps)


@op("Out", nograd="*", makes_lod=True)
def array_to_lod_tensor(X: Tensor, RankTable: Tensor) -> Tensor:
    """Out has the sequences whose steps the array X holds, in the order of the batch."""
    rows, _ = _sequences(X, RankTable)
    return select_rows(torch.cat([part.t for part in X]), rows)


@array_to_lod_tensor.lods
def _lods_of_sequences(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    table = values[1]
    _, inner = _sequences(*values)
    level = LoD.from_lengths([table.lengths]).levels
    return [LoD((*table.outer, *level, *(inner.levels if inner is not None else ())))]


def _sequences(array: Any, table: Any) -> tuple[list[int], LoD | None]:
    """The row of the concatenated steps that each row of the sequences is, and the LoD of the elements."""
    if len(array) != table.steps:
        raise ShapeError(f"X has {len(array)} steps, but the longest sequence of RankTable {table.steps}")
    for step, part in enumerate(array):
        lod = part.lod_value
        count = lod.count(0) if lod is not None else part.t.shape[0] if part.t is not None else 0
        if part.t is None or count != len(table.by_step[step]):
            raise ShapeError(f"step {step} of X has {count} elements, but {len(table.by_step[step])} sequences go on")
    source_rows = [0] * sum(table.lengths)
    for source, number in enumerate(number for step in table.by_step for number in step):
        source_rows[number] = source
    lods = [part.lod_value for part in array]
    inner = None
    if array and lods[0] is not None:
        inner = LoD.from_lengths(chain(*level) for level in zip(*(lod.lengths() for lod in lods), strict=True))
    return select_sequences(inner, source_rows)


@lod_tensor_to_array.infer
@array_to_lod_tensor.infer
def _infer_same(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [Spec((-1, *inputs[0].shape[1:]), inputs[0].dtype)]


@op("Out", dtypes={"I": INDICES}, nograd="RankTable")
def shrink_rnn_memory(X: Tensor, X_lod: LoD | None, RankTable: Tensor, I: Tensor) -> Tensor:
    """Out has the first rows (or, with LoD, sequences) of X: as many as sequences have the step I."""
    active = _active_count(X, X_lod, RankTable, I)
    return X[: active if X_lod is None else X_lod.down_to_rows(0)[active]]


@shrink_rnn_memory.grad
def shrink_rnn_memory_grad(X: Shape, Out_grad: Tensor) -> Tensor:
    missing = X[0] - Out_grad.shape[0]
    if not missing:
        return Out_grad
    return torch.cat([Out_grad, Out_grad.new_zeros((missing, *X[1:]))])


@shrink_rnn_memory.lods
def _lod_of_first(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    active = _active_count(values[0], ins[0], *values[1:])
    return [select_sequences(ins[0], list(range(active)))[1]]


@shrink_rnn_memory.infer
def _infer_first(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [Spec((-1, *inputs[0].shape[1:]), inputs[0].dtype)]


def _active_count(X: Tensor, lod: LoD | None, table: Any, I: Tensor) -> int:
    active, count = table.active_at(element(I)), X.shape[0] if lod is None else lod.count(0)
    if active > count:
        raise ValueRangeError(f"{active} sequences have the step {int(I.item())}, but X has {count}")
    return active


@op("Out", nograd="*")
def reorder_lod_tensor_by_rank(X: Tensor, X_lod: LoD | None, RankTable: Tensor) -> Tensor:
    """Out has the rows (or, with LoD, sequences) of X, that of the longest sequence first."""
    rows, _ = _reordered(X, X_lod, RankTable.order)  # type: ignore[attr-defined]
    return select_rows(X, rows)


@op("Out", nograd="*")
def reorder_lod_tensor_by_rank_grad(X: Tensor, X_lod: LoD | None, RankTable: Tensor) -> Tensor:
    """Out has them in the order of the batch again."""
    rows, _ = _reordered(X, X_lod, _inverse_order(RankTable))
    return select_rows(X, rows)


@reorder_lod_tensor_by_rank.lods
def _lod_reordered(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [_reordered(values[0], ins[0], values[1].order)[1]]


@reorder_lod_tensor_by_rank_grad.lods
def _lod_of_gradient(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [_reordered(values[0], ins[0], _inverse_order(values[1]))[1]]


@reorder_lod_tensor_by_rank.infer
@reorder_lod_tensor_by_rank_grad.infer
def _infer_reordered(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [inputs[0]]


def _inverse_order(table: Any) -> list[int]:
    inverse = [0] * len(table.order)
    for position, number in enumerate(table.order):
        inverse[number] = position
    return inverse


@lod_tensor_to_array.gradient_ops
def _to_sequences(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, "array_to_lod_tensor", RankTable=op.input("RankTable"))


@array_to_lod_tensor.gradient_ops
def _to_steps(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, "lod_tensor_to_array", RankTable=op.input("RankTable"))


@reorder_lod_tensor_by_rank.gradient_ops
def _reordered_back(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, "reorder_lod_tensor_by_rank_grad", RankTable=op.input("RankTable"))


def _reordered(X: Tensor, lod: LoD | None, order: list[int]) -> tuple[list[int], LoD | None]:
    count = X.shape[0] if lod is None else lod.count(0)
    if count != len(order):
        what = "rows" if lod is None else "sequences"
        raise ShapeError(f"X has {count} {what}, but RankTable ranks {len(order)} sequences")
    return select_sequences(lod, order)
