"""multihead_matmul: the self-attention of a Transformer, from the projections to the joined heads."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", lod="Input", nograd="*", dtypes={"Input": FLOATS, "W": FLOATS, "Bias": FLOATS, "BiasQK": FLOATS})
def multihead_matmul(
    Input: Tensor,
    W: Tensor,
    Bias: Tensor,
    BiasQK: Tensor,
    *,
    transpose_Q: bool = False,
    transpose_K: bool = True,
    transpose_V: bool = False,
    alpha: float = 1.0,
    head_number: int = 1,
) -> Tensor:
    """Out [batch, length, D] = softmax(alpha * Q.K^T + BiasQK).V, head by head (Vaswani et al., 2017).

    Q, K and V are the three parts of Input.W + Bias; Input is [batch, length, hidden], W [hidden, 3, D], Bias [3, D].
    BiasQK is [batch, heads, length, length] or anything that broadcasts to it, such as [batch, 1, 1, length].
    """
    if transpose_Q or not transpose_K or transpose_V:
        raise ArgumentError("transpose_K must be True, and transpose_Q and transpose_V False")
    if Input.dim() != 3 or W.dim() != 3 or W.shape[:2] != (Input.shape[2], 3) or W.shape[2] % head_number:
        raise ShapeError(
            f"Input must be [batch, length, hidden] and W [hidden, 3, D] with D divisible by {head_number} heads, "
            f"got {list(Input.shape)} and {list(W.shape)}"
        )
    batch, length, _ = Input.shape
    parts = torch.matmul(Input, W.flatten(1)) + Bias.reshape(-1)
    q, k, v = parts.view(batch, length, 3, head_number, -1).permute(2, 0, 3, 1, 4)
    weights = torch.softmax(alpha * torch.matmul(q, k.transpose(2, 3)) + BiasQK, -1)
    return torch.matmul(weights, v).transpose(1, 2).reshape(batch, length, -1)
