"""Sequences as linear_chain_crf and crf_decoding take them: ragged rows, or padded ones with their lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.sequence.segments import need_lod
from refluid.tensor.lod import LoD

Tensor = torch.Tensor


@dataclass(frozen=True)
class Chains:
    """`lod` groups the valid rows; `kept` are their indices among all rows, None if all are valid."""

    lod: LoD
    kept: Tensor | None

    def rows(self, t: Tensor) -> Tensor:
        """[rows, width] of the valid rows, from [total, width] or [sequences, padded length, width]."""
        flat = t.reshape(-1, t.shape[-1])
        return flat if self.kept is None else flat.index_select(0, self.kept)

    def whole(self, rows: Tensor, shape: Sequence[int]) -> Tensor:
        """The rows in a tensor of this shape again, with zeros for the padding."""
        if self.kept is None:
            return rows.reshape(shape)
        flat = rows.new_zeros(shape[0] * shape[1], rows.shape[-1])
        return flat.index_copy(0, self.kept, rows).reshape(shape)

    def labels(self, Label: Tensor) -> Tensor:
        """The labels of the valid rows, int64 [rows]."""
        return self.rows(Label.reshape(-1, 1)).reshape(-1).long()


def chains_of(shape: Sequence[int], lod: LoD | None, Length: Tensor | None, device: torch.device) -> Chains:
    """`shape` is that of Emission."""
    if Length is None:
        return Chains(need_lod(lod, shape[0], "Emission", levels=1), None)
    lengths = Length.reshape(-1).tolist()
    if any(not 0 <= length <= shape[1] for length in lengths):
        raise ValueRangeError(f"Length must be from 0 to {shape[1]}, got {lengths}")
    inside = torch.arange(shape[1], device=device) < Length.reshape(-1, 1)
    return Chains(LoD.from_lengths([lengths]), torch.nonzero(inside.reshape(-1)).squeeze(1))


def check_sizes(
    emission: Sequence[int], transition: Sequence[int], label: Sequence[int] | None, length: Sequence[int] | None
) -> None:
    """Refuse shapes that do not match; -1 matches anything."""
    rank = 2 if length is None else 3
    if len(emission) != rank:
        wanted = "[rows, tags]" if length is None else "[sequences, padded length, tags] where Length is given"
        raise ShapeError(f"Emission must be {wanted}, got shape {list(emission)}")
    tags = emission[-1]
    if len(transition) != 2 or not _fit(transition[1], tags) or not _fit(transition[0], transition[1] + 2):
        raise ShapeError(f"Transition must be [{tags + 2}, {tags}] for {tags} tags, got shape {list(transition)}")
    if length is not None and not _fit(_count(length), emission[0]):
        raise ShapeError(f"Length must have a number for each of {emission[0]} sequences, got shape {list(length)}")
    if label is not None:
        places = label[:-1] if len(label) == rank and label[-1] == 1 else label
        if len(places) != rank - 1 or not all(_fit(a, b) for a, b in zip(places, emission)):
            raise ShapeError(f"Label must be {[*emission[:-1], 1]}, a tag per row, got shape {list(label)}")


def check_tags(labels: Tensor, tags: int) -> None:
    if labels.numel() and not (int(labels.min()) >= 0 and int(labels.max()) < tags):
        low, high = int(labels.min()), int(labels.max())
        raise ValueRangeError(f"Label must be from 0 to {tags - 1}, got {low} to {high}")


def _fit(a: int, b: int) -> bool:
    return a == b or a < 0 or b < 0


def _count(shape: Sequence[int]) -> int:
    return -1 if any(size < 0 for size in shape) else int(torch.Size(shape).numel())
