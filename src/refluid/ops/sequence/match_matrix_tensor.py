"""match_matrix_tensor: every word of one text against every word of another, by several bilinear forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod


@op("Out Tmp", nograd="Tmp", dtypes={"X": FLOATS, "Y": FLOATS, "W": FLOATS}, grad_keeps="Tmp")
def match_matrix_tensor(
    X: Tensor, X_lod: LoD | None, Y: Tensor, Y_lod: LoD | None, W: Tensor, *, dim_t: int = 1
) -> tuple[Tensor, Tensor]:
    """Sequence i of Out [.., 1] is [t, n, m], flattened: x_n W[:, t, :] y_m for the n words of X's and m of Y's.

    W is [width of X, dim_t, width of Y]. Tmp [.., 1] is X W, flattened.
    """
    _check(X.shape, Y.shape, W.shape, dim_t)
    left, right = need_lod(X_lod, X.shape[0], levels=1), need_lod(Y_lod, Y.shape[0], "Y", levels=1)
    _same_count(left, right)
    formed = (X @ W.flatten(1)).reshape(X.shape[0], dim_t, W.shape[2])
    parts = [
        (formed[a:b].transpose(0, 1) @ Y[c:d].t()).reshape(-1, 1)
        for (a, b), (c, d) in zip(left.spans(), right.spans(), strict=True)
    ]
    return torch.cat(parts) if parts else X.new_zeros(0, 1), formed.reshape(-1, 1)


@match_matrix_tensor.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, y, w = inputs
    _check(x.shape, y.shape, w.shape, attrs["dim_t"])
    return [Spec((-1, 1), x.dtype, 1), Spec((-1, 1), x.dtype, 0)]


@match_matrix_tensor.lods
def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    left, right, _ = ins
    if left is None or right is None:
        return [None, None]  # the kernel refuses it
    sizes = [attrs["dim_t"] * n * m for n, m in zip(left.lengths()[-1], right.lengths()[-1], strict=True)]
    return [LoD.from_lengths([sizes]), None]


def _same_count(left: LoD, right: LoD) -> None:
    if left.count() != right.count():
        raise ShapeError(f"X and Y must have the same number of sequences, got {left.count()} and {right.count()}")


def _check(x: Sequence[int], y: Sequence[int], w: Sequence[int], dim_t: int) -> None:
    if len(x) != 2 or len(y) != 2:
        raise ShapeError(f"X and Y must be [total length, width], got {list(x)} and {list(y)}")
    if len(w) != 3 or (w[0], w[1], w[2]) != (x[1], dim_t, y[1]):
        raise ShapeError(f"W must be [width of X, dim_t, width of Y] = [{x[1]}, {dim_t}, {y[1]}], got {list(w)}")
