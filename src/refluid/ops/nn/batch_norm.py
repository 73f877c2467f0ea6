"""batch_norm and sync_batch_norm: normalise every channel over the batch."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.aten import aten
from refluid.ops.infer import Spec
from refluid.ops.nn.geometry import channels_first, channels_last, is_channels_last
from refluid.ops.nn.normalised import is_derived, normalised_grad
from refluid.ops.registry import FLOATS, Shape, Tensor, op

native_batch_norm_backward = aten("native_batch_norm_backward")


def _register(type: str, hints: str, synchronous: str = "") -> None:
    @op(
        "Y MeanOut VarianceOut SavedMean SavedVariance ReserveSpace",
        type=type,
        lod="X",
        dtypes={"X": FLOATS},
        nograd="Mean Variance MomentumTensor MeanOut VarianceOut ReserveSpace",
        inplace={"MeanOut": "Mean", "VarianceOut": "Variance"},
        intermediate="SavedMean SavedVariance",
        dispensable="ReserveSpace",
        naming="SavedMean SavedVariance Y",
        fresh=True,
        statistics="Mean Variance",
        synchronous=synchronous,
        grad_hints=hints,
    )
    def batch_norm(
        X: Tensor,
        Scale: Tensor,
        Bias: Tensor,
        Mean: Tensor,
        Variance: Tensor,
        MomentumTensor: Tensor | None = None,
        *,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        data_layout: str = "NCHW",
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, None]:
        """Y = Scale * (X - mean) / sqrt(variance + epsilon) + Bias, per channel.

        Mean and variance are those of the batch, and MeanOut and VarianceOut then follow them slowly, or, when testing
        and with `use_global_stats`, Mean and Variance. SavedVariance is 1 / sqrt(variance + epsilon) of the batch.
        """
        last = is_channels_last(data_layout)
        x = channels_first(X) if last else X
        if x.dim() < 2 or x.dim() > 5 or Scale.shape != x.shape[1:2] or Scale.shape != Bias.shape:
            _explain(X, x, Scale, Bias)
        if use_global_stats or (is_test and not trainable_statistics):
            y = torch.native_batch_norm(x, Scale, Bias, Mean, Variance, False, 0.0, epsilon)[0]
            saved_mean, saved_variance = Mean.view_as(Mean), Variance.view_as(Variance)
        elif x.numel() == x.shape[1]:
            # Fluid: one element per channel has no variance, and passes as it is.
            y, saved_mean, saved_variance = x.clone(), torch.zeros_like(Mean), torch.zeros_like(Variance)
        else:
            y, saved_mean, saved_variance = torch.native_batch_norm(x, Scale, Bias, None, None, True, 0.0, epsilon)
            rate = 1.0 - (momentum if MomentumTensor is None or X.is_meta else float(MomentumTensor.flatten()[0]))
            Mean.lerp_(saved_mean.detach().to(Mean.dtype), rate)
            # torch would average in the unbiased variance; Fluid takes the biased one.
            variance = saved_variance.detach().to(Variance.dtype).pow(-2).sub_(epsilon)
            Variance.lerp_(variance, rate)
        return channels_last(y) if last else y, Mean, Variance, saved_mean, saved_variance, None

    @batch_norm.infer
    def infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec | None] | None:
        x, scale, bias, mean, variance = inputs[:5]
        if not 2 <= len(x.shape) <= 5:
            return None
        channels = (x.shape[-1 if is_channels_last(attrs["data_layout"]) else 1],)
        if any(spec.shape != channels for spec in (scale, bias, mean, variance)):
            return None
        return [Spec(x.shape, x.dtype), mean, variance, mean, variance, None]

    @batch_norm.grad
    def batch_norm_grad(
        X: Tensor,
        Scale: Tensor,
        Bias: Shape,
        SavedMean: Tensor,
        SavedVariance: Tensor,
        Y_grad: Tensor,
        *,
        needs: tuple[bool, ...],
        is_test: bool,
        epsilon: float,
        data_layout: str,
        use_global_stats: bool,
        trainable_statistics: bool,
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        last = is_channels_last(data_layout)
        x, y_grad = (channels_first(X), channels_first(Y_grad)) if last else (X, Y_grad)
        if use_global_stats or (is_test and not trainable_statistics):
            stats: tuple[Any, ...] = (SavedMean, SavedVariance, None, None, False)
        elif x.numel() == x.shape[1]:
            return Y_grad.clone(), torch.zeros_like(Scale), torch.zeros_like(Scale)
        elif is_derived(X):
            axes, shape = (0, *range(2, x.dim())), (-1, *(1,) * (x.dim() - 2))
            x_grad, normalised = normalised_grad(x, Scale.reshape(shape), y_grad, axes, epsilon)
            return channels_last(x_grad) if last else x_grad, (y_grad * normalised).sum(axes), y_grad.sum(axes)
        else:
            stats = (None, None, SavedMean, SavedVariance, True)
        x_grad, scale_grad, bias_grad = native_batch_norm_backward(y_grad, x, Scale, *stats, epsilon, needs)
        return channels_last(x_grad) if last and x_grad is not None else x_grad, scale_grad, bias_grad


def _explain(X: Tensor, x: Tensor, scale: Tensor, bias: Tensor) -> None:
    if not 2 <= X.dim() <= 5:
        raise ShapeError(f"X must have 2 to 5 dimensions, got {X.dim()}: {list(X.shape)}")
    raise ShapeError(
        f"X has {x.shape[1]} channels, but Scale has shape {list(scale.shape)} and Bias {list(bias.shape)}"
    )


_register("batch_norm", "use_mkldnn fuse_with_relu", synchronous="sync_batch_norm")
_register(
    "sync_batch_norm", "fuse_with_relu"
)  # over several processes the executor sees to the sharing; in one it is the same
