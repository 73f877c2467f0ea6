"""What target operators share: random subsets, and boxes encoded as deltas."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import centered, images
from refluid.ops.registry import LoD, Tensor


def sample(candidates: Tensor, count: int, rng: torch.Generator | None) -> Tensor:
    """At most `count` of the candidates: a random subset, or the first ones without a generator."""
    if rng is None or len(candidates) <= count:
        return candidates[: max(count, 0)]
    return candidates[torch.randperm(len(candidates), generator=rng, device=rng.device).to(candidates.device)[:count]]


def deltas(boxes: Tensor, targets: Tensor, weights: list[float] | None = None) -> Tensor:
    """The deltas that decode boxes [n, 4] in pixels to the targets [n, 4]."""
    center, size = centered(boxes, normalized=False)
    target_center, target_size = centered(targets, normalized=False)
    found = torch.cat([(target_center - center) / size, (target_size / size).log()], 1)
    return found if weights is None else found / found.new_tensor(weights)


def split_by_image(count: int, **inputs: tuple[Tensor, LoD | None]) -> list[list[Tensor]]:
    """Every input split into the rows of each image."""
    parts = []
    for what, (value, lod) in inputs.items():
        spans = images(lod, len(value), what)
        if len(spans) != count:
            raise ShapeError(f"{what} has rows of {len(spans)} images, but ImInfo has {count}")
        parts.append([value[start:end] for start, end in spans])
    return parts
