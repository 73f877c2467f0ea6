"""sequence_enumerate: all windows of a sequence of ids."""

from __future__ import annotations

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod, windows


@op("Out", lod="X", dtypes={"X": INDICES})
def sequence_enumerate(X: Tensor, X_lod: LoD | None, *, win_size: int, pad_value: int = 0) -> Tensor:
    """Row i of Out is X[i], X[i + 1], .., X[i + win_size - 1], with `pad_value` beyond the end of the sequence."""
    _check(X.shape, win_size)
    lod = need_lod(X_lod, X.shape[0])
    return windows(lod, 0, win_size, X.device).of(X, pad_value)


@sequence_enumerate.infer
def sequence_enumerate_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    _check(x.shape, attrs["win_size"])
    return [Spec((x.shape[0], attrs["win_size"]), x.dtype, x.lod_level)]


def _check(x: tuple[int, ...], win_size: int) -> None:
    if len(x) != 2 or x[1] != 1:
        raise ShapeError(f"X must be [total length, 1], got {list(x)}")
    if win_size < 1:
        raise ArgumentError(f"win_size must be at least 1, got {win_size}")
