"""layer_norm: normalise every sample over its own features."""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.aten import aten
from refluid.ops.infer import Spec
from refluid.ops.nn.normalised import is_derived, normalised_grad
from refluid.ops.registry import FLOATS, Tensor, op

native_layer_norm_backward = aten("native_layer_norm_backward")


@op(
    "Y Mean Variance", lod="X", dtypes={"X": FLOATS}, intermediate="Mean Variance", naming="Mean Variance Y", fresh=True
)
def layer_norm(
    X: Tensor,
    Scale: Tensor | None = None,
    Bias: Tensor | None = None,
    *,
    epsilon: float = 1e-5,
    begin_norm_axis: int = 1,
) -> tuple[Tensor, Tensor, Tensor]:
    """Y = Scale * (X - Mean) / sqrt(Variance + epsilon) + Bias, over the axes from `begin_norm_axis` on.

    Scale and Bias are flat, one number per feature; Mean and Variance are flat, one number per sample.
    """
    if not 0 < begin_norm_axis < X.dim():
        raise ArgumentError(
            f"begin_norm_axis must lie in [1, {X.dim() - 1}] for X {list(X.shape)}, got {begin_norm_axis}"
        )
    features = X.shape[begin_norm_axis:]
    for name, t in (("Scale", Scale), ("Bias", Bias)):
        if t is not None and t.numel() != math.prod(features):
            raise ShapeError(
                f"X has {math.prod(features)} features from axis {begin_norm_axis} on, but {name} has {t.numel()}"
            )
    y, mean, rstd = torch.native_layer_norm(X, features, _shaped(Scale, features), _shaped(Bias, features), epsilon)
    return y, mean.reshape(-1), rstd.reshape(-1).pow(-2).sub_(epsilon)


@layer_norm.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    x, axis = inputs[0], attrs["begin_norm_axis"]
    if not 0 < axis < len(x.shape):
        return None
    features = math.prod(x.shape[axis:])
    if any(spec is not None and spec.shape != (features,) for spec in inputs[1:]):
        return None
    samples = Spec((-1 if min(x.shape[:axis]) < 0 else math.prod(x.shape[:axis]),), x.dtype)
    return [Spec(x.shape, x.dtype), samples, samples]


@layer_norm.grad
def layer_norm_grad(
    X: Tensor,
    Scale: Tensor | None,
    Bias: Tensor | None,
    Mean: Tensor,
    Variance: Tensor,
    Y_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    epsilon: float,
    begin_norm_axis: int,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    features = X.shape[begin_norm_axis:]
    if is_derived(X):
        axes, samples = range(begin_norm_axis, X.dim()), range(begin_norm_axis)
        x_grad, x = normalised_grad(X, _shaped(Scale, features), Y_grad, tuple(axes), epsilon)
        scale_grad, bias_grad = ((t.sum(tuple(samples)).reshape(-1)) for t in (Y_grad * x, Y_grad))
        return x_grad, None if Scale is None else scale_grad, None if Bias is None else bias_grad
    stats = X.shape[:begin_norm_axis] + (1,) * len(features)
    rstd = (Variance + epsilon).rsqrt().reshape(stats)
    mask = [needs[0], Scale is not None and needs[1], Bias is not None and needs[2]]
    x_grad, scale_grad, bias_grad = native_layer_norm_backward(
        Y_grad, X, features, Mean.reshape(stats), rstd, _shaped(Scale, features), _shaped(Bias, features), mask
    )
    return x_grad, _flat(scale_grad), _flat(bias_grad)


def _shaped(t: Tensor | None, shape: torch.Size) -> Tensor | None:
    return t if t is None or t.shape == shape else t.reshape(shape)


def _flat(t: Tensor | None) -> Tensor | None:
    return t if t is None else t.reshape(-1)
