"""fake_dequantize_max_abs: dequantization of integers of a few bits."""

from __future__ import annotations

from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", nograd="*", lod="X", dtypes={"X": FLOATS, "Scale": FLOATS}, like="X")
def fake_dequantize_max_abs(X: Tensor, Scale: Tensor, *, max_range: float) -> Tensor:
    """Out = X * Scale / max_range."""
    return X * Scale / max_range
