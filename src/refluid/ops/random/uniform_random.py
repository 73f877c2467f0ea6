"""uniform_random, uniform_random_batch_size_like: uniformly distributed numbers."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.ops.random.draw import uniform, with_diagonal
from refluid.ops.registry import INDICES, DType, Long, Tensor, op
from refluid.ops.shape.fill_constant import like_batch, shape_spec
from refluid.ops.shape.sizes import sizes_from


@op("Out", nograd="*", lod=None, random="fresh", dtypes={"ShapeTensor": INDICES, "ShapeTensorList": INDICES})
def uniform_random(
    ShapeTensor: Tensor | None = None,
    ShapeTensorList: list[Tensor] | None = None,
    *,
    rng: torch.Generator | None,
    device: torch.device,
    shape: list[Long] = [],
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    diag_num: int = 0,
    diag_step: int = 0,
    diag_val: float = 1.0,
    dtype: DType = VarType.FP32,
) -> Tensor:
    """Out is drawn from [min, max); diag_num elements, each diag_step + 1 from the last, are diag_val."""
    out = uniform(sizes_from(shape, ShapeTensor, ShapeTensorList), dtype, device, rng, min, max)
    return with_diagonal(out, diag_num, diag_step, diag_val)


@uniform_random.infer
def _spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [(shape_spec(attrs, *inputs), torch_dtype(attrs["dtype"]))]


@op("Out", nograd="*", lod=None, random="fresh")
def uniform_random_batch_size_like(
    Input: Tensor,
    *,
    rng: torch.Generator | None,
    shape: list[int],
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    diag_num: int = 0,
    diag_step: int = 0,
    diag_val: float = 1.0,
    dtype: DType = VarType.FP32,
) -> Tensor:
    """As uniform_random; the size of Out at output_dim_idx is that of Input at input_dim_idx."""
    sizes = like_batch(shape, Input.shape, None, input_dim_idx, output_dim_idx)
    return with_diagonal(uniform(sizes, dtype, Input.device, rng, min, max), diag_num, diag_step, diag_val)
