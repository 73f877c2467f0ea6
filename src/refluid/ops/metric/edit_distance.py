"""edit_distance: how many insertions, deletions and substitutions turn one sequence into another."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.native import call as native
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod


@op("SequenceNum Out", lod=None, dtypes={"Hyps": INDICES, "Refs": INDICES}, nograd="*", naming="Out SequenceNum")
def edit_distance(
    Hyps: Tensor,
    Hyps_lod: LoD | None,
    Refs: Tensor,
    Refs_lod: LoD | None,
    HypsLength: Tensor | None = None,
    RefsLength: Tensor | None = None,
    *,
    normalized: bool = False,
) -> tuple[Tensor, Tensor]:
    """Out, float32 [N, 1], is the distance of each pair; `normalized` divides it by the length of the reference.

    The sequences are LoDTensors [total length, 1], or padded [N, longest] with their lengths [N].
    """
    hyps = _sequences(Hyps, Hyps_lod, HypsLength, "Hyps")
    refs = _sequences(Refs, Refs_lod, RefsLength, "Refs")
    count = len(hyps.lengths)
    if count != len(refs.lengths):
        raise ShapeError(f"Hyps has {count} sequences, but Refs has {len(refs.lengths)}")
    if Hyps.device.type == "cpu" and native.available():
        distance = torch.empty(count, dtype=torch.int64)
        native.call("levenshtein", *hyps, *refs, count, distance)
    else:
        distance = _distances(hyps, refs)
    if normalized:
        if (refs.lengths == 0).any():
            row = (refs.lengths == 0).nonzero()[0].item()
            raise ValueRangeError(f"sequence {row} of Refs is empty, so that its distance cannot be normalized")
        distance = distance / refs.lengths
    return torch.tensor([count], device=Hyps.device), distance.float().unsqueeze(1)


class Sequences(NamedTuple):
    """`values` [total], int64, and the start and length of every sequence, int64 [N]."""

    values: Tensor
    starts: Tensor
    lengths: Tensor

    def padded(self) -> Tensor:
        """[N, longest], padded with zeros."""
        longest = int(self.lengths.max()) if len(self.lengths) else 0
        places = torch.arange(longest, device=self.values.device)
        inside = places < self.lengths.unsqueeze(1)
        padded = self.values.new_zeros(len(self.lengths), longest)
        padded[inside] = self.values[(self.starts.unsqueeze(1) + places)[inside]]
        return padded


@edit_distance.infer
def infer_edit_distance(inputs: list, attrs: dict[str, Any]) -> list:
    padded = inputs[2] is not None
    return [((1,), torch.int64), ((inputs[0].shape[0] if padded else -1, 1), torch.float32)]


def _sequences(values: Tensor, lod: LoD | None, lengths: Tensor | None, slot: str) -> Sequences:
    if lengths is not None:
        rows = values.reshape(values.shape[0], -1)
        starts = torch.arange(rows.shape[0], device=values.device) * rows.shape[1]
        return Sequences(rows.reshape(-1).long(), starts, lengths.reshape(-1).long().contiguous())
    if lod is not None and lod.rows == 0:
        values = values[:0]  # ctc_align gives one row of -1 where no label is left in any sequence
    lod = need_lod(lod, values.shape[0], slot)
    starts = lod.offsets_tensor(device=values.device)[:-1]
    return Sequences(values.reshape(-1).long(), starts, lod.lengths_tensor(device=values.device))


def _distances(first: Sequences, second: Sequences) -> Tensor:
    """The table of Levenshtein for all pairs at once, a row of it per element of the first sequences."""
    hyps, refs = first.padded(), second.padded()
    columns = torch.arange(refs.shape[1] + 1, device=refs.device)
    row = columns.expand(refs.shape[0], -1)
    # Of each pair, the row that belongs to the whole hypothesis.
    last = row
    for i in range(hyps.shape[1]):
        substituted = row[:, :-1] + (hyps[:, i : i + 1] != refs)
        deleted = row + 1
        reached = torch.cat([deleted[:, :1], torch.minimum(deleted[:, 1:], substituted)], 1)
        # An insertion costs 1 per column, so that less the column number it is the least so far.
        row = torch.cummin(reached - columns, 1).values + columns
        last = torch.where((first.lengths == i + 1).unsqueeze(1), row, last)
    return last.gather(1, second.lengths.unsqueeze(1)).squeeze(1)
