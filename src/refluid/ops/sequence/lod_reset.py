"""lod_reset: the same tensor under another LoD."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Shape, Tensor, op
from refluid.tensor import lod as lods


@op("Out", nograd="Y", makes_lod=True, views="X")
def lod_reset(
    X: Tensor,
    Y: Tensor | None,
    *,
    target_lod: list[int] = [],  # never changed
    append: bool = False,
) -> Tensor:
    """Out = X, with the LoD of Y; or the offsets that Y (int32 or int64) or target_lod hold as its one level.

    `append` puts that level below the levels of X instead of replacing them.
    """
    return X


@lod_reset.grad
def lod_reset_grad(X: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad


@lod_reset.infer
def lod_reset_shape(inputs: list, attrs: dict) -> list:
    x, y = inputs
    if y is None and not attrs["target_lod"]:
        raise ArgumentError("either the input Y or the attribute target_lod must be given")
    level = x.lod_level + 1 if attrs["append"] else max(y.lod_level, 1) if y is not None else 1
    return [Spec(x.shape, x.dtype, level)]


@lod_reset.lods
def lod_reset_lods(ins: list, values: list, attrs: dict) -> list:
    x, y = ins
    tensor: Tensor | None = values[1]
    if y is not None:
        return [y]
    offsets = tensor.reshape(-1).tolist() if tensor is not None else list(attrs["target_lod"])
    if not offsets:
        raise ArgumentError("either the input Y or the attribute target_lod must be given")
    new_lod = LoD([*x.levels, offsets] if attrs["append"] and x is not None else [offsets])
    lods.check(new_lod, values[0].shape[0])
    return [new_lod]
