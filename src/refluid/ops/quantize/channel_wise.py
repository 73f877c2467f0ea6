"""Quantization and dequantization with a scale per channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.infer import Spec
from refluid.ops.quantize.levels import quantized, top
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out OutScale", nograd="*", lod="X", dtypes={"X": FLOATS})
def fake_channel_wise_quantize_abs_max(X: Tensor, *, bit_length: int = 8) -> tuple[Tensor, Tensor]:
    """OutScale[i] is the largest |X[i]|, Out[i] is X[i] / OutScale[i] as integers of bit_length bits."""
    _check_axes(X.shape)
    scale = X.flatten(1).abs().amax(1)
    return quantized(X, scale.reshape(-1, *[1] * (X.dim() - 1)), bit_length), scale


@fake_channel_wise_quantize_abs_max.infer
def _infer_quantize(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    top(attrs["bit_length"])
    x = inputs[0]
    _check_axes(x.shape)
    return [x, Spec((x.shape[0],), x.dtype, 0)]


@op("Out", nograd="*", lod="X", dtypes={"X": FLOATS})
def fake_channel_wise_dequantize_max_abs(X: Tensor, Scales: list[Tensor], *, quant_bits: list[int] = [8]) -> Tensor:
    """One scale for each X[i], or one for each X[:, i] and one for all; each with its number of bits."""
    _check(X.shape, [scale.shape for scale in Scales], quant_bits)
    if len(Scales) == 1:
        return X * Scales[0].reshape(-1, *[1] * (X.dim() - 1)) / top(quant_bits[0])
    by_channel = X * Scales[0].reshape(1, -1, *[1] * (X.dim() - 2))
    return by_channel * Scales[1] / (top(quant_bits[0]) * top(quant_bits[1]))


@fake_channel_wise_dequantize_max_abs.infer
def _infer_dequantize(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, scales = inputs
    _check(x.shape, [scale.shape for scale in scales], attrs["quant_bits"])
    return [x]


def _check_axes(x: Sequence[int]) -> None:
    if len(x) < 2:
        raise ShapeError(f"X must have two axes or more, got {list(x)}")


def _check(x: Sequence[int], scales: list[Any], bits: Sequence[int]) -> None:
    if not 1 <= len(scales) <= 2 or len(bits) < len(scales):
        raise ArgumentError(
            f"Scales must be one or two, each with a number in quant_bits, got {len(scales)} and {bits}"
        )
    _check_axes(x)
    channels = x[len(scales) - 1], scales[0][0]
    if channels[0] != channels[1] and -1 not in channels:
        raise ShapeError(f"Scales[0] must have one number for each channel of X {list(x)}, got {list(scales[0])}")
