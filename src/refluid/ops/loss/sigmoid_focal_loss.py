"""sigmoid_focal_loss: binary cross entropy with less weight on easy samples, for dense object detection."""

from __future__ import annotations

import torch
from torch.nn.functional import logsigmoid

from refluid.ops.loss.labels import class_index, column_of
from refluid.ops.registry import FLOATS, INDICES, Tensor, op

IGNORED = -1


@op("Out", lod="X", dtypes={"X": FLOATS, "Label": INDICES, "FgNum": INDICES})
def sigmoid_focal_loss(X: Tensor, Label: Tensor, FgNum: Tensor, *, gamma: float = 2.0, alpha: float = 0.25) -> Tensor:
    """Per class the focal loss of X [N, C], divided by the number of foreground samples.

    Label [N, 1] is 0 for the background, c for column c - 1 of X, -1 for a sample that is ignored.
    """
    label = column_of(Label, X.shape, -1)
    class_index(label, X.shape[-1] + 1, IGNORED, "X with the background")
    p = torch.sigmoid(X)
    hit = -alpha * (1 - p).pow(gamma) * logsigmoid(X)
    miss = -(1 - alpha) * p.pow(gamma) * logsigmoid(-X)
    own = label == torch.arange(1, X.shape[-1] + 1, device=X.device)
    out = torch.where(own, hit, miss).masked_fill(label == IGNORED, 0)
    return out / FgNum.clamp(min=1)
