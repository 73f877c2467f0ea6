"""gaussian_random, gaussian_random_batch_size_like, truncated_gaussian_random: normally distributed numbers."""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.ops.random.draw import drawn, normal
from refluid.ops.registry import INDICES, DType, Long, Tensor, op
from refluid.ops.shape.fill_constant import like_batch, shape_spec
from refluid.ops.shape.sizes import sizes_from


@op("Out", nograd="*", lod=None, random="fresh", dtypes={"ShapeTensor": INDICES, "ShapeTensorList": INDICES})
def gaussian_random(
    ShapeTensor: Tensor | None = None,
    ShapeTensorList: list[Tensor] | None = None,
    *,
    rng: torch.Generator | None,
    device: torch.device,
    shape: list[Long] = [],
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: DType = VarType.FP32,
) -> Tensor:
    """Out is drawn from the normal distribution with this mean and standard deviation."""
    return normal(sizes_from(shape, ShapeTensor, ShapeTensorList), dtype, device, rng, mean, std)


@gaussian_random.infer
def _spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [(shape_spec(attrs, *inputs), torch_dtype(attrs["dtype"]))]


@op("Out", nograd="*", lod=None, random="fresh")
def gaussian_random_batch_size_like(
    Input: Tensor,
    *,
    rng: torch.Generator | None,
    shape: list[int],
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: DType = VarType.FP32,
) -> Tensor:
    """As gaussian_random; the size of Out at output_dim_idx is that of Input at input_dim_idx."""
    sizes = like_batch(shape, Input.shape, None, input_dim_idx, output_dim_idx)
    return normal(sizes, dtype, Input.device, rng, mean, std)


# Of a normal distribution truncated at two standard deviations, erf(x / sqrt(2)) is uniform.
_EDGE = math.erf(2.0 / math.sqrt(2.0))


@op("Out", nograd="*", random="fresh")
def truncated_gaussian_random(
    *,
    rng: torch.Generator | None,
    device: torch.device,
    shape: list[int],
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: DType = VarType.FP32,
) -> Tensor:
    """Out is drawn from the normal distribution, without what is more than two standard deviations from the mean."""

    def fill(t: Tensor) -> Tensor:
        t.uniform_(-_EDGE, _EDGE, generator=rng).erfinv_().mul_(std * math.sqrt(2.0)).add_(mean)
        return t.clamp_(mean - 2 * std, mean + 2 * std)  # rounding may exceed the bounds

    return drawn(shape, dtype, device, rng, fill)
