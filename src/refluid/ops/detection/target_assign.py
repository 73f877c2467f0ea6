"""target_assign: the target of each prior box, from the box that it is matched with."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from refluid.core.errors import ShapeError
from refluid.native import call as native
from refluid.ops.detection.boxes import images
from refluid.ops.registry import INDICES, LoD, Tensor, op


@op("Out OutWeight", nograd="*", lod=None, dtypes={"MatchIndices": INDICES, "NegIndices": INDICES}, late="MatchIndices")
def target_assign(
    X: Tensor,
    X_lod: LoD | None,
    MatchIndices: Tensor,
    NegIndices: Tensor | None = None,
    NegIndices_lod: LoD | None = None,
    *,
    mismatch_value: int = 0,
) -> tuple[Tensor, Tensor]:
    """Out [N, P, K]: row MatchIndices [N, P] of the image's part of X [rows, P or 1, K], mismatch_value where it is -1.

    OutWeight [N, P, 1] is 1 for what is matched and for the prior boxes in NegIndices (with a LoD by image).
    """
    if X.dim() != 3 or MatchIndices.dim() != 2:
        raise ShapeError(
            f"X must be [rows, P, K] and MatchIndices [N, P], got {list(X.shape)} and {list(MatchIndices.shape)}"
        )
    count, priors = MatchIndices.shape
    if X.is_meta:
        return X.new_empty(count, priors, X.shape[2]), X.new_empty(count, priors, 1, dtype=torch.float32)
    spans = images(X_lod, len(X), "X")
    if len(spans) < count:
        raise ShapeError(f"X has rows of {len(spans)} images, but MatchIndices has {count}")
    negative: list[tuple[int, int]] = []
    if NegIndices is not None:
        negative = images(NegIndices_lod, len(NegIndices), "NegIndices")
        if len(negative) < count:
            raise ShapeError(f"NegIndices has rows of {len(negative)} images, but MatchIndices has {count}")
    native = _assign_natively(X, spans, MatchIndices, NegIndices, negative, mismatch_value)
    if native is not None:
        return native
    start = torch.tensor([start for start, _ in spans[:count]], device=X.device)[:, None]
    matched = MatchIndices >= 0
    rows = torch.where(matched, MatchIndices + start, 0)
    places = rows * X.shape[1] + torch.arange(priors, device=X.device) % X.shape[1]
    picked = X.reshape(-1, X.shape[2])[places.reshape(-1)] if len(X) else X.new_zeros(count * priors, X.shape[2])
    out = picked.reshape(count, priors, X.shape[2]).masked_fill_(~matched[..., None], mismatch_value)
    weight = matched[..., None].float()
    if NegIndices is not None:
        for i, (first, last) in enumerate(negative[:count]):
            chosen = NegIndices[first:last].reshape(-1).long()
            out[i, chosen] = mismatch_value
            weight[i, chosen] = 1
    return out, weight


def _assign_natively(
    x: Tensor, spans: Sequence[tuple[int, int]], matches: Tensor, negatives: Tensor | None,
    negative_spans: Sequence[tuple[int, int]], mismatch_value: int,
) -> tuple[Tensor, Tensor] | None:  # fmt: skip
    """(Out, OutWeight) by the C++ kernel; None where it cannot compute them, or an index leads nowhere."""
    (count, priors), size = matches.shape, x.element_size()
    numbers = [matches] if negatives is None else [matches, negatives]
    if size not in (4, 8) or not len(x) or any(one.dtype != torch.int32 for one in numbers):
        return None
    if negatives is not None and negative_spans and negative_spans[-1][1] != len(negatives):
        return None
    if any(one.device.type != "cpu" for one in (x, *numbers)) or not native.available():
        return None
    out, weight = x.new_empty(count, priors, x.shape[2]), x.new_empty(count, priors, 1, dtype=torch.float32)
    fine = native.call(
        f"assign_targets_{size}", x.contiguous(), len(x), x.shape[1], x.shape[2], _offsets(spans), matches.contiguous(),
        count, priors, torch.tensor([mismatch_value], dtype=x.dtype), negatives if negatives is None else
        negatives.contiguous(), _offsets(negative_spans), out, weight,
    )  # fmt: skip
    return (out, weight) if fine else None


def _offsets(spans: Sequence[tuple[int, int]]) -> Tensor:
    return torch.tensor([0, *(end for _, end in spans)])
