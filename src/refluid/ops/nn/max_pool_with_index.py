"""max_pool2d_with_index and max_pool3d_with_index: max pooling with argmax indices."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.nn import pooling
from refluid.ops.nn.geometry import check_length, check_rank
from refluid.ops.registry import FLOATS, Tensor, op


def _register(rank: int) -> None:
    ones, zeros, kernels = [1] * rank, [0] * rank, pooling.KERNELS[rank]

    def windows(X: Tensor, ksize: list[int], strides: list[int], paddings: list[int]) -> pooling.Windows:
        check_length("paddings", paddings, rank)
        w = pooling.windows(rank, X.shape[2:], ksize, strides, paddings, "EXPLICIT", False)
        if w.sides is not None:
            raise ArgumentError(f"paddings must be at most half of ksize {list(ksize)}, got {list(paddings)}")
        return w

    @op("Out Mask", type=f"max_pool{rank}d_with_index", dtypes={"X": FLOATS}, nograd="Mask")
    def max_pool_with_index(
        X: Tensor,
        *,
        ksize: list[int],
        strides: list[int] = ones,
        paddings: list[int] = zeros,
        global_pooling: bool = False,
        adaptive: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Out[n, c] = the maximum of every window; Mask = its index in X[n, c], flattened row by row, as int32."""
        check_rank("X", X, rank + 2)
        if global_pooling or adaptive:
            out, indices = kernels.adaptive_max(X, ones if global_pooling else ksize)
        else:
            out, indices = pooling.max_pool(rank, X, windows(X, ksize, strides, paddings))
        return out, indices.to(torch.int32)

    @max_pool_with_index.grad
    def max_pool_with_index_grad(
        X: Tensor,
        Mask: Tensor,
        Out_grad: Tensor,
        *,
        ksize: list[int],
        strides: list[int],
        paddings: list[int],
        global_pooling: bool,
        adaptive: bool,
    ) -> Tensor:
        indices = Mask.to(torch.int64)
        if global_pooling or adaptive:
            return kernels.adaptive_max_backward(Out_grad, X, indices)
        return pooling.max_pool_grad(rank, X, indices, Out_grad, windows(X, ksize, strides, paddings))


_register(2)
_register(3)
