"""pool2d and pool3d: max and average pooling of images and volumes."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.nn import pooling
from refluid.ops.nn.geometry import channels_first, channels_last, check_rank, is_channels_last
from refluid.ops.registry import FLOATS, Shape, Tensor, op


def _register(rank: int, layout: str) -> None:
    ones, zeros, kernels = [1] * rank, [0] * rank, pooling.KERNELS[rank]
    space = tuple(range(2, rank + 2))

    @op(
        "Out MaxIndices",
        type=f"pool{rank}d",
        dtypes={"X": FLOATS},
        hidden="MaxIndices",
        fresh=True,
        late="X",
        grad_hints="use_mkldnn use_cudnn is_test use_quantizer",
    )
    def pool(
        X: Tensor,
        *,
        pooling_type: str,
        ksize: list[int],
        strides: list[int] = ones,
        paddings: list[int] = zeros,
        padding_algorithm: str = "EXPLICIT",
        global_pooling: bool = False,
        adaptive: bool = False,
        exclusive: bool = True,
        ceil_mode: bool = False,
        data_format: str = layout,
    ) -> tuple[Tensor, Tensor | None]:
        """Out[n, c] = the maximum or the mean of every window of X[n, c]; `adaptive`: of each of ksize equal parts.

        MaxIndices, the argmax indices, are no output of Fluid's, whose gradient searches for them again.
        """
        check_rank("X", X, rank + 2)
        last = is_channels_last(data_format)
        x = channels_first(X) if last else X
        indices = None
        if pooling_type == "max":
            if global_pooling or adaptive:
                out, indices = kernels.adaptive_max(x, ones if global_pooling else ksize)
            else:
                w = pooling.windows(rank, x.shape[2:], ksize, strides, paddings, padding_algorithm, ceil_mode)
                out, indices = pooling.max_pool(rank, x, w)
        elif pooling_type == "avg":
            if global_pooling:
                out = x.mean(space, keepdim=True)
            elif adaptive:
                out = kernels.adaptive_avg(x, ksize)
            else:
                w = pooling.windows(rank, x.shape[2:], ksize, strides, paddings, padding_algorithm, ceil_mode)
                out = pooling.avg_pool(rank, x, exclusive, w)
        else:
            raise ArgumentError(f"pooling_type must be max or avg, got {pooling_type!r}")
        return channels_last(out) if last else out, indices

    @pool.selects
    def is_max(attrs: dict[str, Any]) -> bool:
        return attrs["pooling_type"] == "max"

    @pool.infer
    def infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec | None] | None:
        (x,), parts = inputs, (attrs["ksize"], attrs["strides"], attrs["paddings"])
        plain = attrs["padding_algorithm"] == "EXPLICIT" and attrs["data_format"] == layout and not attrs["adaptive"]
        if not plain or len(x.shape) != rank + 2 or attrs["pooling_type"] not in ("max", "avg"):
            return None
        if attrs["global_pooling"]:
            return outputs((*x.shape[:2], *ones), x.dtype, attrs)
        if attrs["ceil_mode"] or min(x.shape[2:]) < 0 or any(len(values) != rank for values in parts):
            return None
        if min(*attrs["ksize"], *attrs["strides"]) < 1:
            return None
        sizes = [(n + 2 * p - k) // s + 1 for n, k, s, p in zip(x.shape[2:], *parts, strict=True)]
        return None if min(sizes) < 1 else outputs((*x.shape[:2], *sizes), x.dtype, attrs)

    def outputs(shape: tuple[int, ...], dtype: torch.dtype, attrs: dict[str, Any]) -> list[Spec | None]:
        return [Spec(shape, dtype), Spec(shape, torch.int64) if attrs["pooling_type"] == "max" else None]

    @pool.grad
    def pool_grad(
        X: Tensor,
        Out: Shape,
        MaxIndices: Tensor | None,
        Out_grad: Tensor,
        *,
        pooling_type: str,
        ksize: list[int],
        strides: list[int],
        paddings: list[int],
        padding_algorithm: str,
        global_pooling: bool,
        adaptive: bool,
        exclusive: bool,
        ceil_mode: bool,
        data_format: str,
    ) -> Tensor:
        last = is_channels_last(data_format)
        x, out_grad = (channels_first(X), channels_first(Out_grad)) if last else (X, Out_grad)
        if not (global_pooling or adaptive):
            w = pooling.windows(rank, x.shape[2:], ksize, strides, paddings, padding_algorithm, ceil_mode)
            if pooling_type == "max":
                x_grad = pooling.max_pool_grad(rank, x, MaxIndices, out_grad, w)
            else:
                x_grad = pooling.avg_pool_grad(rank, x, out_grad, exclusive, w)
        elif pooling_type == "max":
            if MaxIndices is None:
                MaxIndices = kernels.adaptive_max(x, ones if global_pooling else ksize)[1]
            x_grad = kernels.adaptive_max_backward(out_grad, x, MaxIndices)
        elif global_pooling:
            x_grad = pooling.global_avg_pool_grad(x, out_grad)
        else:
            x_grad = kernels.adaptive_avg_backward(out_grad, x)
        return channels_last(x_grad) if last else x_grad


_register(2, "NCHW")
_register(3, "NCDHW")
