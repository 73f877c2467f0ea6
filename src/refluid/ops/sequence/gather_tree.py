"""gather_tree: the whole paths of a beam search, from the ids and parent beams of each step."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import INDICES, Tensor, op


@op("Out", dtypes={"Ids": INDICES, "Parents": INDICES}, nograd="*")
def gather_tree(Ids: Tensor, Parents: Tensor) -> Tensor:
    """Ids, Parents and Out are [length, N, beams]; Parents are indices of beams of the previous step."""
    if Ids.dim() != 3 or Ids.shape != Parents.shape:
        raise ShapeError(f"Ids and Parents must be [length, N, beams], got {list(Ids.shape)}, {list(Parents.shape)}")
    out = torch.empty_like(Ids)
    if Ids.is_meta or not len(Ids):
        return out
    beams = torch.arange(Ids.shape[2], device=Ids.device).expand(Ids.shape[1:])
    for step in range(len(Ids) - 1, -1, -1):
        out[step] = Ids[step].gather(1, beams)
        beams = Parents[step].gather(1, beams).long()
    return out
