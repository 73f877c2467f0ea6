"""Initial rows as a pure function of (seed, id): the same in every order of requests, and after every restart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from refluid.core.errors import ArgumentError
from refluid.distributed.server.id_index import mixed

_AT_ONCE = 1 << 20  # elements: bounds the memory of temporaries
_WEYL = -0x61C8864680B583EB  # splitmix64's step from one number of a stream to the next
INITIALIZERS = frozenset({"fill_constant", "uniform_random", "gaussian_random", "truncated_gaussian_random"})
_CUT = 2.0  # a truncated normal is bounded by two deviations, as Fluid's is


class RowInit(NamedTuple):
    """The initializer of the rows of a table.

    kind: "constant" (a is the value), "uniform" (a to b), "normal" or "truncated_normal" (mean a, deviation b).
    seed: any integer; rows of one id differ between seeds.
    """

    kind: str = "constant"
    a: float = 0.0
    b: float = 0.0
    seed: int = 0

    @classmethod
    def of_op(cls, op_type: str, attrs: Mapping[str, Any], seed: int = 0) -> RowInit:
        """From the operator of a startup program; `seed` serves where the operator names none."""
        seed = attrs.get("seed", 0) or seed
        if op_type == "fill_constant":
            return cls("constant", attrs.get("value", 0.0))
        if op_type == "uniform_random":
            return cls("uniform", attrs.get("min", -1.0), attrs.get("max", 1.0), seed)
        if op_type in ("gaussian_random", "truncated_gaussian_random"):
            kind = "normal" if op_type == "gaussian_random" else "truncated_normal"
            return cls(kind, attrs.get("mean", 0.0), attrs.get("std", 1.0), seed)
        raise ArgumentError(
            f"a distributed table needs a Constant, Uniform, Normal or TruncatedNormal initializer (or Xavier "
            f"and MSRA, which are such), got the operator {op_type}"
        )

    def rows(self, ids: torch.Tensor, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        """The initial values of the rows of `ids`, [len(ids), *shape]."""
        out = torch.empty((ids.numel(), *shape), dtype=dtype)
        if self.kind == "constant":
            return out.fill_(self.a)
        width = math.prod(shape)
        flat, step = out.view(ids.numel(), width), max(1, _AT_ONCE // max(width, 1))
        for start in range(0, ids.numel(), step):
            flat[start : start + step] = self._drawn(_uniform(self.seed, ids[start : start + step], width))
        return out

    def _drawn(self, u: torch.Tensor) -> torch.Tensor:
        if self.kind == "uniform":
            return u.mul_(self.b - self.a).add_(self.a)
        if self.kind == "truncated_normal":
            inside = math.erf(_CUT / math.sqrt(2))
            u.sub_(0.5).mul_(inside).add_(0.5)
        elif self.kind != "normal":
            raise ArgumentError(f"RowInit kind must be constant, uniform, normal or truncated_normal, got {self.kind}")
        return u.mul_(2).sub_(1).erfinv_().mul_(math.sqrt(2) * self.b).add_(self.a)


def _uniform(seed: int, ids: torch.Tensor, width: int) -> torch.Tensor:
    """float64 numbers inside (0, 1), [len(ids), width]: a stream of splitmix64 for every (seed, id)."""
    start = mixed(mixed(torch.tensor(_signed(seed)) + _WEYL) ^ ids)
    bits = mixed(start[:, None] + (torch.arange(1, width + 1) * _WEYL))
    return ((bits >> 12) & ((1 << 52) - 1)).double().add_(0.5).mul_(2.0**-52)


def _signed(seed: int) -> int:
    """The low 64 bits as an int64."""
    return ((seed + 2**63) & (2**64 - 1)) - 2**63
