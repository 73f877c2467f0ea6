"""fill_constant, fill_constant_batch_size_like, fill: tensors of given numbers."""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.dtypes import TORCH_NAME, VarType, torch_dtype
from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import INDICES, DType, LoD, Long, Tensor, op
from refluid.ops.shape.sizes import Sizes, count, sizes_from


def number(value: float, str_value: str, dtype: torch.dtype) -> float | int:
    """The value to fill in; `str_value`, if there is one, holds it without the rounding of a 32-bit attribute."""
    if not str_value and dtype.is_floating_point:
        return _held(value, dtype)
    if str_value:
        try:
            value = int(str_value)
        except ValueError:
            try:
                value = float(str_value)
            except ValueError:
                raise ArgumentError(f"str_value must be a number, got {str_value!r}") from None
    if not dtype.is_floating_point and dtype is not torch.bool and not isinstance(value, int):
        if not math.isfinite(value):
            raise ArgumentError(f"value must be finite for an integer dtype, got {value}")
        value = int(value)
    if not dtype.is_floating_point and dtype is not torch.bool:
        held = torch.iinfo(dtype)
        if not held.min <= value <= held.max:
            raise ArgumentError(
                f"value must be in [{held.min}, {held.max}], what {TORCH_NAME[dtype]} holds, got {value}"
            )
    return _held(value, dtype) if dtype.is_floating_point else value


def _held(value: float, dtype: torch.dtype) -> float:
    """The value, infinite where it overflows the dtype."""
    return value if not math.isfinite(value) or abs(value) <= torch.finfo(dtype).max else math.copysign(math.inf, value)


def checked(shape: list[int]) -> list[int]:
    if min(shape, default=0) < 0:
        raise ShapeError(f"shape must not have negative sizes, got {list(shape)}")
    return shape


def like_batch(shape: Sizes, input_shape: Sizes, lod: LoD | None, input_dim_idx: int, output_dim_idx: int) -> list[int]:
    """`shape` with one size copied from the input. Fluid: the batch size of a LoD tensor is its number of sequences."""
    if not 0 <= input_dim_idx < len(input_shape) or not 0 <= output_dim_idx < len(shape):
        raise ArgumentError(
            f"input_dim_idx must be an axis of Input and output_dim_idx one of shape {list(shape)}, "
            f"got {input_dim_idx} and {output_dim_idx}"
        )
    out = list(shape)
    out[output_dim_idx] = lod.count() if lod is not None and input_dim_idx == 0 else input_shape[input_dim_idx]
    return out


def shape_spec(attrs: dict[str, Any], tensor: Any, tensors: Any) -> tuple[int, ...]:
    """The shape from ShapeTensor, ShapeTensorList or the attribute shape, as far as it is known."""
    shape = attrs["shape"]
    if tensor is None and not tensors:
        return tuple(checked(shape))
    return tuple(shape) if tensors and shape else (-1,) * count(shape, tensor, tensors)


@op("Out", nograd="*", lod=None, dtypes={"ShapeTensor": INDICES, "ShapeTensorList": INDICES})
def fill_constant(
    ValueTensor: Tensor | None = None,
    ShapeTensor: Tensor | None = None,
    ShapeTensorList: list[Tensor] | None = None,
    *,
    device: torch.device,
    dtype: DType = VarType.FP32,
    shape: list[Long] = [],
    value: float = 0.0,
    str_value: str = "",
    force_cpu: bool = False,
) -> Tensor:
    """Out is filled with value, or with ValueTensor."""
    shape, wanted = checked(sizes_from(shape, ShapeTensor, ShapeTensorList)), torch_dtype(dtype)
    if ValueTensor is not None:
        return ValueTensor.reshape(-1)[0].to(wanted).expand(shape or [1]).clone()
    return torch.full(shape or [1], number(value, str_value, wanted), dtype=wanted, device=device)


@fill_constant.infer
def _fill_constant_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    _, shape_tensor, shape_tensors = inputs
    return [(shape_spec(attrs, shape_tensor, shape_tensors) or (1,), torch_dtype(attrs["dtype"]))]


@op("Out", nograd="*", lod=None)
def fill_constant_batch_size_like(
    Input: Tensor,
    Input_lod: LoD | None = None,
    *,
    shape: list[int],
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    dtype: DType = VarType.FP32,
    value: float = 0.0,
    str_value: str = "",
    force_cpu: bool = False,
) -> Tensor:
    """Out is filled with value; its size at output_dim_idx is that of Input at input_dim_idx."""
    wanted = torch_dtype(dtype)
    sizes = checked(like_batch(shape, Input.shape, Input_lod, input_dim_idx, output_dim_idx))
    return torch.full(sizes, number(value, str_value, wanted), dtype=wanted, device=Input.device)


@fill_constant_batch_size_like.infer
def _like_batch_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    (spec,) = inputs
    known = list(spec.shape)
    if spec.lod_level > 0 and attrs["input_dim_idx"] == 0:
        known[0] = -1  # the number of sequences, known from the LoD alone
    sizes = like_batch(attrs["shape"], known, None, attrs["input_dim_idx"], attrs["output_dim_idx"])
    return [(tuple(sizes), torch_dtype(attrs["dtype"]))]


@op("Out", nograd="*")
def fill(
    *,
    device: torch.device,
    value: list[float],
    shape: list[int],
    dtype: DType = VarType.FP32,
    force_cpu: bool = False,
) -> Tensor:
    """Out holds the numbers of value in the given shape."""
    if len(value) != math.prod(checked(shape)):
        raise ShapeError(f"shape {list(shape)} takes {math.prod(shape)} numbers, got {len(value)}")
    return torch.tensor(value, dtype=torch.float64, device=device).to(torch_dtype(dtype)).reshape(shape)
