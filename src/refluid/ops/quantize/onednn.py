"""quantize, dequantize and requantize: between numbers and bytes, as models calibrated for oneDNN have them."""

from __future__ import annotations

import torch

from refluid.ops.registry import FLOATS, Tensor, op

BYTES = frozenset({torch.int8, torch.uint8})


@op("Output", nograd="*", dtypes={"Input": FLOATS})
def quantize(
    Input: Tensor, *, is_negative_input: bool = False, Scale: float = 1.0, output_format: str = "NHWC"
) -> Tensor:
    """Output = Input * Scale, rounded to int8 if Input has negative numbers, else to uint8.

    output_format is for oneDNN alone, which may lay the bytes out in another order.
    """
    return _as_bytes(Input * Scale, torch.int8 if is_negative_input else torch.uint8)


@op("Output", nograd="*", dtypes={"Input": BYTES})
def dequantize(Input: Tensor, *, Scale: float = 1.0) -> Tensor:
    """Output = Input / Scale, as float32."""
    return Input.float() / Scale


@op("Output", nograd="*", dtypes={"Input": BYTES})
def requantize(Input: Tensor, *, Scale_in: float = 1.0, Scale_out: float = 1.0) -> Tensor:
    """Output = Input / Scale_in * Scale_out, rounded to bytes of the same kind."""
    return _as_bytes(Input.float() * (Scale_out / Scale_in), Input.dtype)


def _as_bytes(x: Tensor, kind: torch.dtype) -> Tensor:
    limits = torch.iinfo(kind)
    return x.round().clamp(limits.min, limits.max).to(kind)
