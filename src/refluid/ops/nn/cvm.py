"""cvm: show and click counts before an embedding, for click-through models."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Y", dtypes={"X": FLOATS}, nograd="CVM", grad_keeps="X", views="X")
def cvm(X: Tensor, CVM: Tensor, *, use_cvm: bool = True) -> Tensor:
    """X [N, D] begins with shows and clicks: Y has log(shows + 1) and log(clicks + 1) - log(shows + 1) in their place.

    Without use_cvm Y [N, D - 2] leaves them out. CVM [N, 2] are the counts, which the gradient passes on.
    """
    if X.dim() != 2 or X.shape[1] < 2 or CVM.dim() != 2 or CVM.shape[1] != 2:
        raise ShapeError(f"X must be [N, 2 or more] and CVM [N, 2], got {list(X.shape)} and {list(CVM.shape)}")
    if not use_cvm:
        return X[:, 2:]
    shows = torch.log(X[:, :1] + 1)
    return torch.cat([shows, torch.log(X[:, 1:2] + 1) - shows, X[:, 2:]], 1)


@cvm.grad
def cvm_grad(CVM: Tensor, Y_grad: Tensor, *, use_cvm: bool) -> Tensor:
    """Fluid: the first two columns carry the counts to the table of embeddings instead of a gradient."""
    return torch.cat([CVM.to(Y_grad.dtype), Y_grad[:, 2:] if use_cvm else Y_grad], 1)
