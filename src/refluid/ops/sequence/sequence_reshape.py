"""sequence_reshape: rows of another width, sequences of another length."""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Shape, Tensor, op
from refluid.ops.sequence.segments import need_lod


@op("Out", views="X")
def sequence_reshape(X: Tensor, X_lod: LoD | None, *, new_dim: int) -> Tensor:
    """The numbers of every sequence, in rows of `new_dim`."""
    _check(X.shape)
    width = X.shape[1]
    for length in need_lod(X_lod, X.shape[0], levels=1).lengths()[0]:
        if length * width % new_dim:
            raise ShapeError(
                f"a sequence of {length} rows of {width} numbers cannot be laid out in rows of new_dim={new_dim}"
            )
    return X.reshape(-1, new_dim) if X.numel() else X.reshape(0, new_dim)


@sequence_reshape.grad
def sequence_reshape_grad(X: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(X)


@sequence_reshape.infer
def sequence_reshape_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    _check(x.shape)
    known = min(x.shape) >= 0
    rows = x.shape[0] * x.shape[1] // attrs["new_dim"] if known else -1
    return [Spec((rows, attrs["new_dim"]), x.dtype, x.lod_level)]


@sequence_reshape.lods
def sequence_reshape_lods(ins: list, values: list, attrs: dict) -> list:
    if ins[0] is None:
        return [None]
    width = values[0].shape[1]
    return [LoD([[offset * width // attrs["new_dim"] for offset in ins[0].levels[0]]])]


def _check(x: tuple[int, ...]) -> None:
    if len(x) != 2:
        raise ShapeError(f"X must be a matrix, got {list(x)}")
