"""seed: a seed for other operators."""

from __future__ import annotations

import torch

from refluid.ops.registry import Tensor, op


@op("Out", nograd="*", random="stream")
def seed(*, rng: torch.Generator | None, device: torch.device, seed: int = 0) -> Tensor:
    """Out [1] is the attribute seed, or a random number if that is 0; int32."""
    if seed:
        return torch.tensor([seed], dtype=torch.int32, device=device)
    return torch.randint(1, 2**31 - 1, (1,), dtype=torch.int32, generator=rng).to(device)
