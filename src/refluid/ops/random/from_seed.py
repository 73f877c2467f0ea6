"""random_crop, shuffle_batch: random choices from a seed in a variable of the program, which they update."""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.registry import INDICES, Tensor, op
from refluid.ops.shape.sizes import Sizes


def _generator(Seed: Tensor) -> torch.Generator:
    return torch.Generator().manual_seed(int(Seed))


def _next(rng: torch.Generator, Seed: Tensor) -> Tensor:
    return torch.randint(1, 2**31 - 1, (1,), dtype=torch.int64, generator=rng).to(Seed.device)


def _check(x_shape: Sizes, shape: Sizes) -> None:
    tail = x_shape[len(x_shape) - len(shape) :]
    if len(shape) >= len(x_shape) or any(not 0 < n <= m for n, m in zip(shape, tail, strict=True) if m >= 0):
        raise ArgumentError(f"shape must fit into the last axes of X, got {list(shape)} for X of {list(x_shape)}")


@op("Out SeedOut", nograd="*", intermediate="SeedOut", dtypes={"Seed": INDICES}, lod=None)
def random_crop(X: Tensor, Seed: Tensor, *, shape: list[int], startup_seed: int = 0) -> tuple[Tensor, Tensor]:
    """Out [.., *shape] is a random crop of every sample of X; the axes before those of shape are samples."""
    _check(X.shape, shape)
    rng = _generator(Seed)
    batch, tail = X.shape[: X.dim() - len(shape)], X.shape[X.dim() - len(shape) :]
    samples = math.prod(batch)
    index = [torch.arange(samples).reshape(-1, *(1,) * len(shape))]
    for axis, (whole, size) in enumerate(zip(tail, shape, strict=True)):
        start = torch.randint(0, whole - size + 1, (samples, 1), generator=rng)
        places = start + torch.arange(size)
        index.append(places.reshape(samples, *(size if k == axis else 1 for k in range(len(shape)))))
    out = X.reshape(samples, *tail)[tuple(i.to(X.device) for i in index)]
    return out.reshape(*batch, *shape), _next(rng, Seed)


@random_crop.infer
def _random_crop_specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, _ = inputs
    shape = attrs["shape"]
    _check(x.shape, shape)
    return [((*x.shape[: len(x.shape) - len(shape)], *shape), x.dtype), ((1,), torch.int64)]


@op("Out ShuffleIdx SeedOut", nograd="ShuffleIdx SeedOut", dtypes={"Seed": INDICES}, lod="X")
def shuffle_batch(X: Tensor, Seed: Tensor, *, startup_seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Out is X with its rows (all axes but the last) in a random order; row i of X is row ShuffleIdx[i] of Out."""
    rng = _generator(Seed)
    rows = X.reshape(-1, X.shape[-1])
    index = torch.randperm(rows.shape[0], generator=rng).to(X.device)
    return torch.empty_like(rows).index_copy_(0, index, rows).reshape(X.shape), index, _next(rng, Seed)


@shuffle_batch.grad
def shuffle_batch_grad(ShuffleIdx: Tensor, Out_grad: Tensor) -> Tensor:
    rows = Out_grad.reshape(-1, Out_grad.shape[-1])
    return rows.index_select(0, ShuffleIdx).reshape(Out_grad.shape)


@shuffle_batch.infer
def _shuffle_batch_specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, _ = inputs
    rows = -1 if -1 in x.shape[:-1] else math.prod(x.shape[:-1])
    return [(x.shape, x.dtype), ((rows,), torch.int64), ((1,), torch.int64)]
