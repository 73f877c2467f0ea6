"""inplace_abn: batch normalisation and an invertible activation; the gradient reads the result alone."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops import registry
from refluid.ops.nn import batch_norm  # noqa: F401  registers what this one is made of
from refluid.ops.nn.geometry import channels_first, channels_last, is_channels_last
from refluid.ops.registry import FLOATS, Tensor, op

_normalise = registry.get("batch_norm").kernel
_normalise_grad = registry.get("batch_norm_grad").kernel


@op(
    "Y MeanOut VarianceOut SavedMean SavedVariance ReserveSpace",
    lod="X",
    dtypes={"X": FLOATS},
    nograd="Mean Variance MomentumTensor MeanOut VarianceOut ReserveSpace",
    inplace={"MeanOut": "Mean", "VarianceOut": "Variance"},
    intermediate="SavedMean SavedVariance",
    dispensable="ReserveSpace",
    naming="SavedMean SavedVariance Y",
    extra_attrs={"use_sync_bn": "BOOLEAN"},
    grad_hints="use_mkldnn fuse_with_relu use_sync_bn",
)
def inplace_abn(
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
    activation: str = "",
    alpha: float = 0.1,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, None]:
    """Y = act(batch_norm(X)) with act one of identity, leaky_relu and elu."""
    y, *statistics = _normalise(
        X, Scale, Bias, Mean, Variance, MomentumTensor, is_test=is_test, momentum=momentum, epsilon=epsilon,
        data_layout=data_layout, use_global_stats=use_global_stats, trainable_statistics=trainable_statistics,
    )  # fmt: skip
    if activation == "leaky_relu":
        y = torch.nn.functional.leaky_relu(y, alpha)
    elif activation == "elu":
        y = torch.nn.functional.elu(y, alpha)
    elif activation not in ("", "identity"):
        raise ArgumentError(f"activation must be identity, leaky_relu or elu, got {activation!r}")
    return y, *statistics


@inplace_abn.grad(once=True)
def inplace_abn_grad(
    Y: Tensor,
    Scale: Tensor,
    Bias: Tensor,
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
    activation: str,
    alpha: float,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    if activation == "leaky_relu":
        z, z_grad = torch.where(Y < 0, Y / alpha, Y), torch.where(Y < 0, Y_grad * alpha, Y_grad)
    elif activation == "elu":
        below = torch.minimum(Y, torch.zeros_like(Y))
        z, z_grad = torch.where(Y < 0, torch.log1p(below / alpha), Y), torch.where(Y < 0, Y_grad * (Y + alpha), Y_grad)
    else:
        z, z_grad = Y, Y_grad
    last = is_channels_last(data_layout)
    z = channels_first(z) if last else z
    # When testing SavedVariance is the variance; in training it is 1 / sqrt(variance + epsilon).
    fixed = use_global_stats or (is_test and not trainable_statistics)
    deviation = torch.sqrt(SavedVariance + epsilon) if fixed else 1 / SavedVariance

    def along(t: Tensor) -> Tensor:
        return t.reshape(-1, *[1] * (z.dim() - 2))

    x = (z - along(Bias)) * along(deviation / Scale) + along(SavedMean)
    return _normalise_grad(
        channels_last(x) if last else x, Scale, Bias.shape, SavedMean, SavedVariance, z_grad, needs=needs,
        is_test=is_test, epsilon=epsilon, data_layout=data_layout, use_global_stats=use_global_stats,
        trainable_statistics=trainable_statistics,
    )  # fmt: skip
