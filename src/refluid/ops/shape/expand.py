"""expand, expand_as: a tensor repeated along its axes."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import INDICES, LoD, Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, sizes_from


def _check(shape: Sizes, times: Sizes) -> None:
    if len(times) == len(shape) and min(times, default=1) > 0:
        return
    if len(times) != len(shape):
        raise ArgumentError(
            f"expand_times must have one number for each of the {len(shape)} axes of X, got {list(times)}"
        )
    raise ArgumentError(f"expand_times must be at least 1, got {list(times)}")


def summed(Out_grad: Tensor, x_shape: Sizes, times: Sizes) -> Tensor:
    """The sum over repetitions."""
    shape: list[int] = []
    repeated: list[int] = []
    for size, n in zip(x_shape, times, strict=True):
        if n > 1:
            repeated.append(len(shape))
            shape.append(n)
        shape.append(size)
    return Out_grad.reshape(shape).sum(repeated) if repeated else Out_grad


@op(
    "Out",
    dtypes={"ExpandTimes": INDICES, "expand_times_tensor": INDICES},
    late="expand_times_tensor ExpandTimes",
    keeps_rows=lambda attrs, rank: attrs["expand_times"][:1] == [1],
)
def expand(
    X: Tensor,
    ExpandTimes: Tensor | None = None,
    expand_times_tensor: list[Tensor] | None = None,
    *,
    expand_times: list[int] = [],
) -> Tensor:
    """Out is X repeated expand_times[i] times along axis i."""
    times = sizes_from(expand_times, ExpandTimes, expand_times_tensor)
    _check(X.shape, times)
    return X.repeat(times)


@expand.grad
def expand_grad(
    X: Shape,
    ExpandTimes: Tensor | None,
    expand_times_tensor: list[Tensor] | None,
    Out_grad: Tensor,
    *,
    expand_times: list[int],
) -> Tensor:
    return summed(Out_grad, X, sizes_from(expand_times, ExpandTimes, expand_times_tensor))


@expand.infer
def _expand_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, times_spec, times_specs = inputs
    times = attrs["expand_times"]
    if times_spec is not None or times_specs:  # the attribute then has the known sizes, with -1 for the others
        times = times or [-1] * len(x.shape)
    else:
        _check(x.shape, times)
    return [(tuple(-1 if -1 in (n, t) else n * t for n, t in zip(x.shape, times, strict=True)), x.dtype)]


@expand.lods
def _expand_lod(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    """Fluid: the output has X's LoD if the number of rows is the same."""
    return [ins[0] if sizes_from(attrs["expand_times"], values[1], values[2])[0] == 1 else None]


def _times(x_shape: Sizes, target: Sizes) -> list[int]:
    if len(x_shape) != len(target):
        raise ShapeError(f"X has rank {len(x_shape)}, but target_tensor has rank {len(target)}")
    if any(n == 0 or m % n for n, m in zip(x_shape, target, strict=True)):
        raise ShapeError(f"X of shape {list(x_shape)} cannot be repeated to the shape {list(target)} of target_tensor")
    return [m // n for n, m in zip(x_shape, target, strict=True)]


@op("Out", nograd="target_tensor", lod=None)
def expand_as(X: Tensor, target_tensor: Tensor) -> Tensor:
    """Out is X repeated to the shape of target_tensor, each of whose sizes is a multiple of X's."""
    return X.repeat(_times(X.shape, target_tensor.shape))


@expand_as.grad
def expand_as_grad(X: Shape, target_tensor: Shape, Out_grad: Tensor) -> Tensor:
    return summed(Out_grad, X, _times(X, target_tensor))


@expand_as.infer
def _expand_as_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, target = inputs
    if len(x.shape) != len(target.shape):
        raise ShapeError(f"X has rank {len(x.shape)}, but target_tensor has rank {len(target.shape)}")
    return [(target.shape, x.dtype)]
