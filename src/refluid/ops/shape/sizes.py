"""What shape operators share: axes, sizes that come as tensors, and the LoD of what keeps its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.registry import LoD, Tensor

if TYPE_CHECKING:
    from refluid.ops.infer import Spec

Sizes = list[int] | tuple[int, ...]


def axis_of(axis: int, rank: int, name: str = "axis") -> int:
    """The axis counted from the front."""
    if not -rank <= axis < rank:
        raise ArgumentError(f"{name} must be in [{-rank}, {rank - 1}] for a tensor of rank {rank}, got {axis}")
    return axis + rank if axis < 0 else axis


def sizes_from(attr: list[int], tensor: Tensor | None, tensors: list[Tensor] | None = None) -> list[int]:
    """Sizes in Fluid's order of precedence: a list of one-element tensors, one tensor, the attribute."""
    if tensors:
        return [int(t) for t in tensors]
    return attr if tensor is None else tensor.reshape(-1).tolist()


def count(attr: Sizes, tensor: Tensor | None, tensors: Sequence[Tensor] | None = None) -> int:
    """The number of sizes that `sizes_from` returns, known from specs alone."""
    if tensors:
        return len(tensors)
    if tensor is None:
        return len(attr)
    return 1 if not tensor.shape else tensor.shape[0]


def xshape(X: Tensor) -> Tensor:
    """The output XShape of reshape2 and its like: no data, and X's shape behind a leading 0."""
    return _empty(X.shape, X.dtype, X.device)


@lru_cache(maxsize=4096)  # it is empty and never written, so all of one shape may share it
def _empty(shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.empty((0, *shape), dtype=dtype, device=device)


def xshape_spec(spec: Spec) -> tuple[Sizes, torch.dtype]:
    return (0, *spec.shape), spec.dtype


def lod_if_rows_match(out_shape: Callable[[Sizes, dict[str, Any]], Sizes], outputs: int) -> Callable[..., list[Any]]:
    """Fluid: the output has X's LoD if the number of rows is the same."""

    def rule(ins: list[LoD | None], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
        lod, shape = ins[0], values[0].shape
        out = out_shape(shape, attrs) if lod is not None else ()
        return [lod if out and out[0] == shape[0] else None, None][:outputs]

    return rule
