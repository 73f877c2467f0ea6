"""edit_distance: how many insertions, deletions and substitutions turn one sequence into another."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod, positions


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
    hyps, hyp_lengths = _padded(Hyps, Hyps_lod, HypsLength, "Hyps")
    refs, ref_lengths = _padded(Refs, Refs_lod, RefsLength, "Refs")
    if hyps.shape[0] != refs.shape[0]:
        raise ShapeError(f"Hyps has {hyps.shape[0]} sequences, but Refs has {refs.shape[0]}")
    distance = _distances(hyps, hyp_lengths, refs, ref_lengths)
    if normalized:
        if (ref_lengths == 0).any():
            row = (ref_lengths == 0).nonzero()[0].item()
            raise ValueRangeError(f"sequence {row} of Refs is empty, so that its distance cannot be normalized")
        distance = distance / ref_lengths
    count = torch.tensor([hyps.shape[0]], device=Hyps.device)
    return count, distance.float().unsqueeze(1)


@edit_distance.infer
def infer_edit_distance(inputs: list, attrs: dict[str, Any]) -> list:
    padded = inputs[2] is not None
    return [((1,), torch.int64), ((inputs[0].shape[0] if padded else -1, 1), torch.float32)]


def _padded(values: Tensor, lod: LoD | None, lengths: Tensor | None, slot: str) -> tuple[Tensor, Tensor]:
    if lengths is not None:
        return values.reshape(values.shape[0], -1), lengths.reshape(-1)
    if lod is not None and lod.rows == 0:
        values = values[:0]  # ctc_align gives one row of -1 where no label is left in any sequence
    lod = need_lod(lod, values.shape[0], slot)
    lengths = lod.lengths_tensor(device=values.device)
    padded = values.new_zeros(lod.count(), int(lengths.max()) if len(lengths) else 0)
    padded[lod.segment_ids(device=values.device), positions(lod, values.device)] = values.reshape(-1)
    return padded, lengths


def _distances(hyps: Tensor, hyp_lengths: Tensor, refs: Tensor, ref_lengths: Tensor) -> Tensor:
    """The table of Levenshtein for all pairs at once, a row of it per element of the hypotheses."""
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
        last = torch.where((hyp_lengths == i + 1).unsqueeze(1), row, last)
    return last.gather(1, ref_lengths.long().unsqueeze(1)).squeeze(1)
