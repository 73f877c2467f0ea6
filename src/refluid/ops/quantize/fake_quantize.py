"""Quantization with the scale of the batch, of a window of batches, or a moving average."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.quantize.levels import largest, quantized, top
from refluid.ops.registry import FLOATS, INDICES, Tensor, op


@op("Out OutScale", nograd="*", lod="X", dtypes={"X": FLOATS})
def fake_quantize_abs_max(X: Tensor, *, bit_length: int = 8) -> tuple[Tensor, Tensor]:
    """OutScale [1] is the largest |X|, Out is X / OutScale as integers of bit_length bits (kept as floats)."""
    scale = largest(X)
    return quantized(X, scale, bit_length), scale


@fake_quantize_abs_max.infer
def _infer_abs_max(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    top(attrs["bit_length"])
    return [inputs[0], Spec((1,), inputs[0].dtype, 0)]


@op("Out OutScale OutScales", nograd="*", lod="X", dispensable="OutScales", inplace={"OutScales": "InScales"},
    dtypes={"X": FLOATS, "InScale": FLOATS, "Iter": INDICES}, views="InScale")  # fmt: skip
def fake_quantize_range_abs_max(
    X: Tensor,
    InScale: Tensor,
    Iter: Tensor | None,
    InScales: Tensor | None,
    *,
    window_size: int = 10000,
    bit_length: int = 8,
    is_test: bool = False,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """The scale is the largest |X| of the last window_size batches; while testing it is InScale.

    OutScales [window_size] holds the largest |X| of each. Fluid's operator has no InScales: it reads what stands in the
    variable that it writes, and so does this one in programs that do not name InScales.
    """
    if is_test:
        return quantized(X, InScale, bit_length), InScale, InScales
    if Iter is None or InScales is None:
        raise ArgumentError("Iter and InScales must be given, but for testing")
    now, place = largest(X), int(Iter) % window_size
    gone = InScales[place].clone()
    InScales[place] = now[0]
    if now > InScale:
        scale = now
    elif (gone - InScale).abs() < 1e-6:  # the maximum has left the window
        scale = InScales.amax().reshape(1)
    else:
        scale = InScale
    return quantized(X, scale, bit_length), scale, InScales


@fake_quantize_range_abs_max.infer
def _infer_range(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    top(attrs["bit_length"])
    x = inputs[0]
    return [x, Spec((1,), x.dtype, 0), Spec((attrs["window_size"],), x.dtype, 0)]


def _averaged(X: Tensor, InAccum: Tensor | None, InState: Tensor | None, rate: float) -> tuple[Tensor, Tensor, Tensor]:
    """(scale, state, sum) after this batch: an exponential moving average of the largest |X|."""
    if InAccum is None or InState is None:
        raise ArgumentError("InAccum and InState must be given, but for testing")
    accum, state = rate * InAccum + largest(X), rate * InState + 1
    return accum / state, state, accum


def _infer_averaged(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    one = Spec((1,), inputs[0].dtype, 0)
    return [inputs[0], one, one, one]


AVERAGED: dict[str, Any] = {"nograd": "*", "lod": "X", "dispensable": "OutState OutAccum", "dtypes": {"X": FLOATS}}
Averaged = tuple[Tensor, Tensor, Tensor | None, Tensor | None]


@op("Out OutScale OutState OutAccum", **AVERAGED, views="InScale InAccum InState")
def fake_quantize_moving_average_abs_max(
    X: Tensor,
    InScale: Tensor,
    InAccum: Tensor | None,
    InState: Tensor | None,
    *,
    moving_rate: float = 0.9,
    bit_length: int = 8,
    is_test: bool = False,
) -> Averaged:
    """The scale is an average of the largest |X| of all batches so far; while testing it is InScale."""
    if is_test:
        return quantized(X, InScale, bit_length), InScale, InState, InAccum
    scale, state, accum = _averaged(X, InAccum, InState, moving_rate)
    return quantized(X, scale, bit_length), scale, state, accum


fake_quantize_moving_average_abs_max.infer(_infer_averaged)


@op("Out OutScale OutState OutAccum", **AVERAGED, views="InScale InAccum InState")
def fake_quantize_dequantize_moving_average_abs_max(
    X: Tensor,
    InScale: Tensor,
    InAccum: Tensor | None,
    InState: Tensor | None,
    *,
    moving_rate: float = 0.9,
    bit_length: int = 8,
    is_test: bool = False,
) -> Averaged:
    """The same, and Out is dequantized."""
    if is_test:
        return quantized(X, InScale, bit_length) * InScale / top(bit_length), InScale, InState, InAccum
    scale, state, accum = _averaged(X, InAccum, InState, moving_rate)
    return quantized(X, scale, bit_length) * scale / top(bit_length), scale, state, accum


fake_quantize_dequantize_moving_average_abs_max.infer(_infer_averaged)


@op("Out OutScale OutState OutAccum", nograd="*", lod="X", dispensable="OutScale OutState OutAccum",
    dtypes={"X": FLOATS})  # fmt: skip
def moving_average_abs_max_scale(
    X: Tensor, InAccum: Tensor | None, InState: Tensor | None, *, moving_rate: float = 0.9, is_test: bool = False
) -> tuple[Tensor, Tensor | None, Tensor | None, Tensor | None]:
    """Out is X, OutScale the average of the largest |X|; there is none while testing."""
    if is_test:
        return X.clone(), None, InState, InAccum
    return X.clone(), *_averaged(X, InAccum, InState, moving_rate)


moving_average_abs_max_scale.infer(_infer_averaged)
