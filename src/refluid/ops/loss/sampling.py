"""Drawing classes at random, for the losses that compare a label with a few classes instead of all."""

from __future__ import annotations

import math

import torch

from refluid.ops.registry import Tensor


def uniform_classes(shape: tuple[int, ...], classes: int, rng: torch.Generator) -> Tensor:
    return torch.randint(classes, shape, generator=rng, device=rng.device)


def log_uniform_classes(shape: tuple[int, ...], classes: int, rng: torch.Generator) -> Tensor:
    """Classes below `classes`, class c with probability log_uniform_probability: frequent ones come first."""
    uniform = torch.rand(shape, generator=rng, device=rng.device, dtype=torch.float64)
    return torch.expm1(uniform * math.log(classes + 1)).long().clamp_(max=classes - 1)


def log_uniform_probability(index: Tensor, classes: int, dtype: torch.dtype) -> Tensor:
    """log((c + 2) / (c + 1)) / log(classes + 1)."""
    return torch.log1p(1 / (index + 1).to(dtype)) / math.log(classes + 1)


def alias_classes(shape: tuple[int, ...], alias: Tensor, alias_probs: Tensor, rng: torch.Generator) -> Tensor:
    """Classes of any distribution by the alias method: stay at a class with its probability, else take its alias."""
    index = torch.randint(alias.numel(), shape, generator=rng, device=rng.device)
    other = alias.reshape(-1)[index].long()
    leave = torch.rand(shape, generator=rng, device=rng.device) > alias_probs.reshape(-1)[index]
    return torch.where(leave & (other >= 0), other, index)  # an alias of -1 says that there is none


def unique_log_uniform_classes(count: int, classes: int, rng: torch.Generator) -> tuple[Tensor, int]:
    """So many different classes in the order they were drawn, and the number of draws it took."""
    unique: dict[int, None] = {}
    draws = 0
    while True:
        for label in log_uniform_classes((2 * count,), classes, rng).tolist():
            unique[label] = None
            draws += 1
            if len(unique) == count:
                return torch.tensor(list(unique), device=rng.device), draws
