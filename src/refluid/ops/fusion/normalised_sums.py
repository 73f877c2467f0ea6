"""A sum and the layer_norm after it, as in Transformers: of two branches, of a product, of embeddings."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.math.fc import fc
from refluid.ops.nn.layer_norm import layer_norm
from refluid.ops.registry import FLOATS, INDICES, Tensor, op


@op("Out", lod="X", nograd="*", dtypes={"X": FLOATS, "Y": FLOATS, "Scale": FLOATS, "Bias": FLOATS})
def skip_layernorm(
    X: Tensor, Y: Tensor, Scale: Tensor, Bias: Tensor, *, epsilon: float = 1e-5, begin_norm_axis: int
) -> Tensor:
    """Out = layer_norm(X + Y)."""
    return layer_norm.kernel(X + Y, Scale, Bias, epsilon=epsilon, begin_norm_axis=begin_norm_axis)[0]


@op("Out Mean Variance", lod="X", nograd="*", dispensable="Mean Variance",
    dtypes={"X": FLOATS, "W": FLOATS, "Y": FLOATS})  # fmt: skip
def fused_fc_elementwise_layernorm(
    X: Tensor,
    W: Tensor,
    Bias0: Tensor | None,
    Y: Tensor,
    Scale: Tensor | None = None,
    Bias1: Tensor | None = None,
    *,
    x_num_col_dims: int = 1,
    activation_type: str = "",
    epsilon: float = 1e-5,
    begin_norm_axis: int = 1,
) -> tuple[Tensor, Tensor, Tensor]:
    """Out = layer_norm(act(X.W + Bias0) + Y), with Mean and Variance as those of layer_norm; act is relu or nothing."""
    product = fc.kernel(X, W, Bias0, in_num_col_dims=x_num_col_dims, activation_type=activation_type)
    return layer_norm.kernel(product + Y, Scale, Bias1, epsilon=epsilon, begin_norm_axis=begin_norm_axis)


@op("Out", lod="Ids", nograd="*", dtypes={"Ids": INDICES, "Embs": FLOATS, "Bias": FLOATS, "Scale": FLOATS})
def fused_embedding_eltwise_layernorm(
    Ids: list[Tensor], Embs: list[Tensor], Bias: Tensor, Scale: Tensor, *, epsilon: float = 1e-5
) -> Tensor:
    """Out [batch, length, hidden] = layer_norm of the sum of the rows Embs[i][Ids[i]]; Ids[i] is [batch, length, 1]."""
    if len(Ids) != len(Embs) or len(Ids) < 2:
        raise ArgumentError(f"Ids and Embs must be equally many, at least two, got {len(Ids)} and {len(Embs)}")
    total = torch.embedding(Embs[0], Ids[0].squeeze(-1))
    for table, ids in zip(Embs[1:], Ids[1:], strict=True):
        total = total + torch.embedding(table, ids.squeeze(-1))
    return layer_norm.kernel(total, Scale, Bias, epsilon=epsilon, begin_norm_axis=2)[0]
