"""positive_negative_pair: the number of correctly and incorrectly ordered pairs of a ranking, by query."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, INDICES, Tensor, op


@op(
    "PositivePair NegativePair NeutralPair",
    lod=None,
    dtypes={"Score": FLOATS, "Label": FLOATS, "QueryID": INDICES},
    nograd="*",
)
def positive_negative_pair(
    Score: Tensor,
    Label: Tensor,
    QueryID: Tensor,
    AccumulatePositivePair: Tensor | None = None,
    AccumulateNegativePair: Tensor | None = None,
    AccumulateNeutralPair: Tensor | None = None,
    Weight: Tensor | None = None,
    *,
    column: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Sums of weights, each [1], over the pairs of one query whose labels differ; a pair weighs the mean of the two.

    `column` of Score [N, width] is the score. As in Fluid, a pair of equal scores is neutral and negative.
    """
    rows = Score.shape[0]
    for name, values in (("Label", Label), ("QueryID", QueryID), ("Weight", Weight)):
        if values is not None and values.numel() != rows:
            raise ShapeError(f"Score has {rows} rows, but {name} has {values.numel()} elements")
    score, label, query = Score[:, column], Label.reshape(-1), QueryID.reshape(-1)
    weight = torch.ones_like(score) if Weight is None else Weight.reshape(-1)
    labels, scores = label.unsqueeze(1) - label, score.unsqueeze(1) - score
    # Every pair stands in the table twice, so that half of the mean weight counts.
    weights = (weight.unsqueeze(1) + weight) / 4 * ((query.unsqueeze(1) == query) & (labels != 0))
    right = labels * scores > 0
    sums = [(weights * right).sum(), (weights * ~right).sum(), (weights * (scores == 0)).sum()]
    earlier = (AccumulatePositivePair, AccumulateNegativePair, AccumulateNeutralPair)
    totals = [s.reshape(1) if e is None else s.reshape(1) + e for s, e in zip(sums, earlier, strict=True)]
    return totals[0], totals[1], totals[2]
