"""dropout: zeroes a random part of the units in training."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.ops.scalars import number

LOWEST = -(1 << 63)
IMPLEMENTATIONS = ("downgrade_in_infer", "upscale_in_train")


@op(
    "Out Mask", dtypes={"X": FLOATS}, nograd="Seed", intermediate="Mask", dispensable="Mask", random="stream", views="X"
)
def dropout(
    X: Tensor,
    Seed: Tensor | None = None,
    *,
    rng: torch.Generator | None,
    dropout_prob: float = 0.5,
    is_test: bool = False,
    fix_seed: bool = False,
    seed: int = 0,
    dropout_implementation: str = "downgrade_in_infer",
) -> tuple[Tensor, Tensor | None]:
    """Out = X * Mask, where every element of Mask is 0 with probability `dropout_prob`, else 1.

    downgrade_in_infer multiplies by 1 - dropout_prob when testing; upscale_in_train divides by it when training.
    """
    if not 0.0 <= dropout_prob <= 1.0:
        raise ArgumentError(f"dropout_prob must lie in [0, 1], got {dropout_prob}")
    if dropout_implementation not in IMPLEMENTATIONS:
        raise ArgumentError(
            f"dropout_implementation must be downgrade_in_infer or upscale_in_train, got {dropout_implementation!r}"
        )
    upscale = dropout_implementation == "upscale_in_train"
    if X.is_meta:
        return torch.empty_like(X), torch.empty_like(X, dtype=torch.uint8)
    if is_test:
        return X.view_as(X) if upscale else X * (1.0 - dropout_prob), None
    if Seed is not None or fix_seed:
        rng = torch.Generator(X.device).manual_seed(seed if Seed is None else int(Seed.flatten()[0]))
    mask = random_mask(X, 1.0 - dropout_prob, rng)
    return masked(X, mask, dropout_prob, upscale), mask


@dropout.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    if not 0.0 <= attrs["dropout_prob"] <= 1.0 or attrs["dropout_implementation"] not in IMPLEMENTATIONS:
        return None
    return [inputs[0], Spec(inputs[0].shape, torch.uint8)]


@dropout.grad
def dropout_grad(
    Mask: Tensor | None,
    Out_grad: Tensor,
    *,
    dropout_prob: float,
    is_test: bool,
    dropout_implementation: str,
) -> Tensor:
    upscale = dropout_implementation == "upscale_in_train"
    if is_test:
        return Out_grad.view_as(Out_grad) if upscale else Out_grad * (1.0 - dropout_prob)
    assert Mask is not None
    return masked(Out_grad, Mask, dropout_prob, upscale)


def masked(t: Tensor, mask: Tensor, dropout_prob: float, upscale: bool) -> Tensor:
    # One conversion and vector multiplications: multiplying floats by bytes is slower.
    factor = mask.to(t.dtype)
    if upscale and 0.0 < dropout_prob < 1.0:
        factor.mul_(number(1.0 / (1.0 - dropout_prob), t.dtype))
    return factor.mul_(t)


def random_mask(like: Tensor, keep: float, rng: torch.Generator | None) -> Tensor:
    """uint8 of the shape and memory format of `like`: 1 with probability `keep`, else 0.

    Compares raw random bits, which is several times faster than torch's bernoulli_: bytes where 8 bits say `keep`
    exactly (a half, a quarter), else 16 bits (off by less than 1e-5).
    """
    bits, lane = (8, torch.int8) if (keep * 256).is_integer() else (16, torch.int16)
    n, lanes = like.numel(), 64 // bits
    words = torch.empty(-(-n // lanes), dtype=torch.int64, device=like.device).random_(LOWEST, None, generator=rng)
    random = words.view(lane)
    dense = like.is_contiguous() or (like.dim() == 4 and like.is_contiguous(memory_format=torch.channels_last))
    random = random.as_strided(like.shape, like.stride()) if dense else random[:n].view(like.shape)
    threshold = round(keep * 2**bits) - 2 ** (bits - 1)
    if threshold == 2 ** (bits - 1):  # everything is kept, and the lane cannot hold the threshold
        return torch.ones_like(random, dtype=torch.uint8)
    kept = random.lt_(threshold)
    return kept.view(torch.uint8) if bits == 8 else kept.to(torch.uint8)
