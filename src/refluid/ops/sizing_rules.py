"""Shapes of the results of torch's operators that make new sizes; see sizing.py.

A rule takes the arguments of the operator and returns empty meta tensors. It raises RuntimeError, as torch does, which
becomes a message of our own (ops/failure.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

Tensor = torch.Tensor
Ints = Sequence[int]

RULES: dict[str, Callable] = {}


def rule(*names: str) -> Callable:
    def register(function: Callable) -> Callable:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


def _empty(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    return torch.empty([int(n) for n in shape], dtype=dtype, device="meta")


def _need(holds: bool) -> None:
    if not holds:
        raise RuntimeError("the sizes do not match")


# -- new tensors ----------------------------------------------------------------------------------------------------


@rule("empty_like", "zeros_like", "ones_like")
def _like(x: Tensor, *, dtype: torch.dtype | None = None, **layout: object) -> Tensor:
    return _empty(x.shape, dtype or x.dtype)


@rule("full_like")
def _full_like(x: Tensor, value: object, *, dtype: torch.dtype | None = None, **layout: object) -> Tensor:
    return _empty(x.shape, dtype or x.dtype)


@rule("arange")
def _arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: torch.dtype | None = None, **layout: object
) -> Tensor:
    start, end = (0, start) if end is None else (start, end)
    whole = all(isinstance(n, int) for n in (start, end, step))
    return _empty(
        [max(0, math.ceil((end - start) / step))], dtype or (torch.int64 if whole else torch.get_default_dtype())
    )


@rule("eye")
def _eye(n: int, m: int | None = None, *, dtype: torch.dtype | None = None, **layout: object) -> Tensor:
    return _empty([n, n if m is None else m], dtype or torch.get_default_dtype())


# -- tensors put together ---------------------------------------------------------------------------------------------


@rule("cat")
def _cat(tensors: list[Tensor], dim: int = 0) -> Tensor:
    parts = [t for t in tensors if tuple(t.shape) != (0,)] or list(tensors)[:1]  # torch ignores empty vectors
    first = parts[0]
    axis = _axis(dim, first.dim())
    _need(all(t.dim() == first.dim() for t in parts))
    _need(all(m == n for t in parts for i, (m, n) in enumerate(zip(t.shape, first.shape, strict=True)) if i != axis))
    shape = list(first.shape)
    shape[axis] = sum(t.shape[axis] for t in parts)
    return _empty(shape, _common_dtype(tensors))


@rule("stack")
def _stack(tensors: list[Tensor], dim: int = 0) -> Tensor:
    _need(all(t.shape == tensors[0].shape for t in tensors))
    shape = list(tensors[0].shape)
    shape.insert(_axis(dim, len(shape) + 1), len(tensors))
    return _empty(shape, _common_dtype(tensors))


def _common_dtype(tensors: list[Tensor]) -> torch.dtype:
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = torch.promote_types(dtype, t.dtype)
    return dtype


def _axis(dim: int, rank: int) -> int:
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range, got {dim}")
    return dim % rank


@rule("repeat")
def _repeat(x: Tensor, times: Ints) -> Tensor:
    _need(len(times) >= x.dim())
    shape = [1] * (len(times) - x.dim()) + list(x.shape)
    return _empty([n * k for n, k in zip(shape, times, strict=True)], x.dtype)


@rule("diag_embed")
def _diag_embed(x: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    size, rank = x.shape[-1] + abs(offset), x.dim() + 1
    diagonal_axes = {_axis(dim1, rank), _axis(dim2, rank)}
    _need(len(diagonal_axes) == 2)
    others = iter(x.shape[:-1])
    return _empty([size if i in diagonal_axes else next(others) for i in range(rank)], x.dtype)


# -- normalisation ----------------------------------------------------------------------------------------------------


@rule("native_layer_norm")
def _layer_norm(x: Tensor, shape: Ints, weight: Tensor | None, bias: Tensor | None, epsilon: float) -> tuple:
    _need(list(x.shape[x.dim() - len(shape) :]) == list(shape))
    rows = [*x.shape[: x.dim() - len(shape)], *([1] * len(shape))]
    return _empty(x.shape, x.dtype), _empty(rows, x.dtype), _empty(rows, x.dtype)


@rule("native_group_norm")
def _group_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, n: int, c: int, rest: int, groups: int, epsilon: float
) -> tuple:  # fmt: skip
    _need(c % groups == 0)
    return _empty(x.shape, x.dtype), _empty([n, groups], x.dtype), _empty([n, groups], x.dtype)


# -- windows ----------------------------------------------------------------------------------------------------------


@rule("convolution")
def _convolution(
    x: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: Ints, dilation: Ints, transposed: bool,
    output_padding: Ints, groups: int,
) -> Tensor:  # fmt: skip
    axes = weight.dim() - 2
    _need(x.dim() == weight.dim() and x.dtype == weight.dtype)
    stride, padding, dilation, output_padding = (_each(v, axes) for v in (stride, padding, dilation, output_padding))
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
    if transposed:
        _need(x.shape[1] == weight.shape[0])
        sizes = [
            (n - 1) * s - 2 * p + r + more
            for n, s, p, r, more in zip(x.shape[2:], stride, padding, reach, output_padding, strict=True)
        ]
        channels = weight.shape[1] * groups
    else:
        _need(x.shape[1] == weight.shape[1] * groups and weight.shape[0] % groups == 0)
        sizes = [(n + 2 * p - r) // s + 1 for n, p, r, s in zip(x.shape[2:], padding, reach, stride, strict=True)]
        channels = weight.shape[0]
    _need(all(n > 0 for n in sizes))
    return _empty([x.shape[0], channels, *sizes], x.dtype)


def _each(value: Ints, axes: int) -> list[int]:
    return list(value) * axes if len(value) == 1 else list(value)


@rule("im2col")
def _im2col(x: Tensor, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Tensor:
    sizes = [
        _positions(n, k, s, p, d, False)
        for n, k, d, p, s in zip(x.shape[-2:], kernel, dilation, padding, stride, strict=True)
    ]
    return _empty([*x.shape[:-3], x.shape[-3] * math.prod(kernel), math.prod(sizes)], x.dtype)


@rule("pixel_shuffle")
def _pixel_shuffle(x: Tensor, factor: int) -> Tensor:
    _need(x.shape[-3] % factor**2 == 0)
    shape = [*x.shape[:-3], x.shape[-3] // factor**2, x.shape[-2] * factor, x.shape[-1] * factor]
    return _empty(shape, x.dtype)


@rule("avg_pool2d", "avg_pool3d")
def _avg_pool(
    x: Tensor, kernel: Ints, stride: Ints = (), padding: Ints = (0,), ceil_mode: bool = False, *rest: object
) -> Tensor:
    return _empty(_pooled(x, kernel, stride, padding, (1,), ceil_mode), x.dtype)


@rule("max_pool2d_with_indices", "max_pool3d_with_indices")
def _max_pool(
    x: Tensor, kernel: Ints, stride: Ints = (), padding: Ints = (0,), dilation: Ints = (1,), ceil_mode: bool = False
) -> tuple:  # fmt: skip
    shape = _pooled(x, kernel, stride, padding, dilation, ceil_mode)
    return _empty(shape, x.dtype), _empty(shape, torch.int64)


def _pooled(x: Tensor, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool) -> list[int]:
    axes = len(kernel)
    settings = zip(
        x.shape[-axes:], kernel, _each(stride or kernel, axes), _each(padding, axes), _each(dilation, axes), strict=True
    )
    sizes = [_positions(n, k, s, p, d, ceil_mode) for n, k, s, p, d in settings]
    return [*x.shape[:-axes], *sizes]


def _positions(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """The number of window positions; with `ceil_mode` including one that starts inside and ends outside."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    positions = -(-room // stride) + 1 if ceil_mode else room // stride + 1
    if ceil_mode and (positions - 1) * stride >= size + padding:
        positions -= 1
    _need(positions > 0)
    return positions


@rule("_adaptive_avg_pool2d", "_adaptive_avg_pool3d")
def _adaptive_average(x: Tensor, sizes: Ints) -> Tensor:
    return _empty([*x.shape[: -len(sizes)], *sizes], x.dtype)


@rule("adaptive_max_pool2d", "adaptive_max_pool3d")
def _adaptive_max(x: Tensor, sizes: Ints) -> tuple:
    shape = [*x.shape[: -len(sizes)], *sizes]
    return _empty(shape, x.dtype), _empty(shape, torch.int64)
