"""cos_sim: the cosine of the angle between rows."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op

SHORTEST = 1e-4  # Fluid: rows shorter than this count as this long


@op(
    "Out XNorm YNorm",
    intermediate="XNorm YNorm",
    dtypes={"X": FLOATS, "Y": FLOATS},
    grad_hints="@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@",
    keeps_rows=lambda attrs, rank: True,
)
def cos_sim(X: Tensor, Y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Out [N, 1] = X.Y / (|X| |Y|) per row; Y has as many rows as X, or one."""
    if X.dim() < 2 or X.dim() != Y.dim() or X.shape[1:] != Y.shape[1:] or Y.shape[0] not in (1, X.shape[0]):
        raise ShapeError(
            f"Y must have the shape of X or be one row of it, got shapes {list(X.shape)} and {list(Y.shape)}"
        )
    x, y = X.flatten(1), Y.flatten(1)
    x_norm = torch.linalg.vector_norm(x, dim=1, keepdim=True).clamp_min(SHORTEST)
    y_norm = torch.linalg.vector_norm(y, dim=1, keepdim=True).clamp_min(SHORTEST)
    return torch.sum(x * y, 1, True) / x_norm / y_norm, x_norm, y_norm


@cos_sim.lods
def cos_sim_lods(lods: list, values: list, attrs: dict) -> list:
    return [lods[0], None, None]


@cos_sim.grad(once=True)
def cos_sim_grad(
    X: Tensor, Y: Tensor, Out: Tensor, XNorm: Tensor, YNorm: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...]
) -> tuple[Tensor | None, Tensor | None]:
    x, y = X.flatten(1), Y.flatten(1)
    scale = Out_grad / (XNorm * YNorm)
    x_grad = y_grad = None
    if needs[0]:
        x_grad = (scale * y - x * (Out_grad * Out / XNorm.square())).reshape(X.shape)
    if needs[1]:
        y_grad = scale * x - y * (Out_grad * Out / YNorm.square())
        y_grad = (y_grad if y.shape[0] == x.shape[0] else y_grad.sum(0, True)).reshape(Y.shape)
    return x_grad, y_grad
