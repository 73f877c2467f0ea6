"""mine_hard_examples: hard negative mining among prior boxes."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.native import call as native
from refluid.ops.detection.boxes import best, with_lod
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, Tensor, op


@op("NegIndices UpdatedMatchIndices", nograd="*", lod=None, tells_lod=True, dtypes={"MatchIndices": INDICES})
def mine_hard_examples(
    ClsLoss: Tensor,
    LocLoss: Tensor | None,
    MatchIndices: Tensor,
    MatchDist: Tensor,
    *,
    neg_pos_ratio: float = 1.0,
    neg_dist_threshold: float = 0.5,
    sample_size: int = 0,
    mining_type: str = "max_negative",
) -> tuple[Tensor, Tensor]:
    """NegIndices [chosen, 1] (with a LoD by image) are prior boxes to train as background, ascending.

    max_negative: the greatest ClsLoss [N, P] among those unmatched and less similar than `neg_dist_threshold`, at most
    `neg_pos_ratio` for one matched. hard_example: the `sample_size` greatest of ClsLoss + LocLoss among all; matched
    boxes that are not among them become unmatched in UpdatedMatchIndices.
    """
    if mining_type not in ("max_negative", "hard_example"):
        raise ArgumentError(f"mining_type must be max_negative or hard_example, got {mining_type!r}")
    hard = mining_type == "hard_example"
    if hard and (LocLoss is None or sample_size <= 0):
        raise ArgumentError(f"hard_example needs LocLoss and a positive sample_size, got sample_size={sample_size}")
    if ClsLoss.shape != MatchIndices.shape or MatchDist.shape != MatchIndices.shape:
        raise ShapeError(
            f"ClsLoss {list(ClsLoss.shape)} and MatchDist {list(MatchDist.shape)} must be as MatchIndices "
            f"{list(MatchIndices.shape)}"
        )
    loss = ClsLoss + LocLoss if hard and LocLoss is not None else ClsLoss
    updated, chosen = MatchIndices.clone(memory_format=torch.contiguous_format), []
    if native.takes(loss, MatchDist) and loss.dtype == MatchDist.dtype and updated.dtype == torch.int32:
        count, priors = updated.shape
        taken, counts = torch.empty(updated.numel(), dtype=torch.int32), torch.empty(count, dtype=torch.int64)
        total = native.call(
            "mine_", loss.contiguous(), MatchDist.contiguous(), count, priors, hard, float(neg_pos_ratio),
            float(neg_dist_threshold), sample_size, updated, taken, counts,
        )  # fmt: skip
        return with_lod(taken[:total, None], counts.tolist()), updated
    for i in range(len(MatchIndices)):
        matched = MatchIndices[i] >= 0
        eligible = torch.ones_like(matched) if hard else ~matched & (MatchDist[i] < neg_dist_threshold)
        candidates = torch.nonzero(eligible).squeeze(1)
        wanted = sample_size if hard else int(int(matched.sum()) * neg_pos_ratio)
        taken = candidates[best(loss[i][candidates], wanted)].sort().values
        if hard:
            mined = torch.zeros_like(matched)
            mined[taken] = True
            updated[i][matched & ~mined] = -1
            taken = taken[~matched[taken]]
        chosen.append(taken)
    return with_lod(torch.cat(chosen).int()[:, None], [len(one) for one in chosen]), updated


@mine_hard_examples.infer
def mine_hard_examples_shape(inputs: list, attrs: dict) -> list:
    return [Spec((-1, 1), torch.int32, 1), Spec(inputs[2].shape, inputs[2].dtype, 0)]
