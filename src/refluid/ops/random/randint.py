"""randint, randperm: random integers, and the first integers in a random order."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.core.errors import ArgumentError
from refluid.ops.registry import INDICES, DType, Long, Tensor, op
from refluid.ops.shape.fill_constant import checked, shape_spec
from refluid.ops.shape.sizes import sizes_from


@op("Out", nograd="*", lod=None, random="fresh", dtypes={"ShapeTensor": INDICES, "ShapeTensorList": INDICES})
def randint(
    ShapeTensor: Tensor | None = None,
    ShapeTensorList: list[Tensor] | None = None,
    *,
    rng: torch.Generator | None,
    device: torch.device,
    shape: list[Long] = [],
    low: int,
    high: int,
    dtype: DType = VarType.INT64,
    seed: int = 0,
) -> Tensor:
    """Out is drawn from the integers low to high - 1."""
    if low >= high:
        raise ArgumentError(f"low must be below high, got low={low} and high={high}")
    sizes = tuple(checked(sizes_from(shape, ShapeTensor, ShapeTensorList)))
    return torch.randint(low, high, sizes, dtype=torch_dtype(dtype), generator=rng).to(device)


@randint.infer
def _spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    if attrs["low"] >= attrs["high"]:
        raise ArgumentError(f"low must be below high, got low={attrs['low']} and high={attrs['high']}")
    return [(shape_spec(attrs, *inputs), torch_dtype(attrs["dtype"]))]


@op("Out", nograd="*", random="fresh")
def randperm(
    *, rng: torch.Generator | None, device: torch.device, n: int, dtype: DType = VarType.INT64, seed: int = 0
) -> Tensor:
    """Out is 0 to n - 1 in a random order."""
    if n < 1:
        raise ArgumentError(f"n must be at least 1, got {n}")
    return torch.randperm(n, dtype=torch_dtype(dtype), generator=rng).to(device)
