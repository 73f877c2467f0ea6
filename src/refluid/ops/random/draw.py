"""How random operators draw."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.core.dtypes import torch_dtype
from refluid.core.errors import ArgumentError, DtypeError
from refluid.ops.registry import Tensor
from refluid.ops.shape.fill_constant import checked


def drawn(
    shape: list[int], dtype: int, device: torch.device, rng: torch.Generator | None, fill: Callable[[Tensor], Tensor]
) -> Tensor:
    """A new floating tensor, filled on the generator's device (not filled while inferring) and moved to `device`."""
    wanted = torch_dtype(dtype)
    if not wanted.is_floating_point:
        raise DtypeError(f"dtype must be floating point, got {wanted}".replace("torch.", ""))
    out = torch.empty(tuple(checked(shape)), dtype=wanted, device=device if rng is None else rng.device)
    return fill(out).to(device)


def uniform(
    shape: list[int], dtype: int, device: torch.device, rng: torch.Generator | None, low: float, high: float
) -> Tensor:
    low, high = min(low, high), max(low, high)
    return drawn(shape, dtype, device, rng, lambda t: t.uniform_(low, high, generator=rng))


def normal(
    shape: list[int], dtype: int, device: torch.device, rng: torch.Generator | None, mean: float, std: float
) -> Tensor:
    return drawn(shape, dtype, device, rng, lambda t: t.normal_(mean, abs(std), generator=rng))


def with_diagonal(out: Tensor, number: int, step: int, value: float) -> Tensor:
    """Fluid: `number` elements, the first one and then every (step + 1)-th, are set to `value`."""
    if number:
        if (number - 1) * (step + 1) >= out.numel():
            raise ArgumentError(f"diag_num={number} and diag_step={step} leave the {out.numel()} elements of Out")
        out.view(-1)[: (number - 1) * (step + 1) + 1 : step + 1] = value
    return out
