"""Rows of the normalisations."""

import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("batch_norm")
fixture("layer_norm")
fixture("group_norm", skip={1: "without Scale Fluid's gradient is no derivative; the row below has the true one"})
fixture("instance_norm")
fixture("lrn")
fixture("spectral_norm", grad=False, why="Fluid's gradient is no derivative")
fixture("data_norm", grad=False, why="Fluid's gradients of the sums are none; see test_fluids_own_gradients.py")


def positive(*shape):
    return rand(*shape, low=0.5, high=1.5)


def normal(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def flat(t, rank):
    return t.reshape(1, -1, *[1] * (rank - 2))


def batch_norm(X, Scale, Bias, Mean, Variance, momentum, epsilon):
    axes = tuple(i for i in range(X.ndim) if i != 1)
    mean, variance = X.mean(axes), X.var(axes)
    return (
        normal(X, axes, epsilon) * flat(Scale, X.ndim) + flat(Bias, X.ndim),
        momentum * Mean + (1 - momentum) * mean,
        momentum * Variance + (1 - momentum) * variance,
        mean,
        1 / np.sqrt(variance + epsilon),
    )


four = {"Scale": positive(3), "Bias": rand(3), "Mean": rand(3), "Variance": positive(3)}
for op in ("batch_norm", "sync_batch_norm"):
    for shape in ((2, 3, 4, 2), (5, 3), (2, 3, 4), (2, 3, 2, 2, 2)):
        case(op, X=rand(*shape), **four, momentum=0.8, epsilon=1e-3, batch="X", expect=batch_norm)
case("batch_norm", X=rand(2, 4, 2, 3), **four, data_layout="NHWC", batch="X")
case(
    "batch_norm",
    X=rand(4, 3),
    **four,
    MomentumTensor=np.array([0.5]),
    batch="",
    expect=lambda X, Mean: {"MeanOut": 0.5 * Mean + 0.5 * X.mean(0)},
)
for attrs in ({"is_test": True}, {"use_global_stats": True}):
    case(
        "batch_norm",
        X=rand(2, 3, 2, 2),
        **four,
        **attrs,
        batch="X",
        expect=lambda X, Scale, Bias, Mean, Variance: (
            (X - flat(Mean, 4)) / np.sqrt(flat(Variance, 4) + 1e-5) * flat(Scale, 4) + flat(Bias, 4),
            Mean,
            Variance,
        ),
    )
case(
    "batch_norm",
    X=rand(4, 3),
    **four,
    is_test=True,
    trainable_statistics=True,
    batch="X",
    expect=lambda X, Scale, Bias: normal(X, 0) * Scale + Bias,
)
case("batch_norm", X=rand(1, 3, 1, 1), **four, batch="", expect=lambda X, Mean, Variance: (X, Mean, Variance))
case("batch_norm", X=ragged([[2, 1]], 3), **four, batch="X", expect_lod={"Y": "X"})
refuse("batch_norm", X=rand(2, 4, 2, 2), **four, says="X has 4 channels, but Scale has shape [3] and Bias [3]")
refuse("batch_norm", X=rand(3), **four, says="batch_norm: X must have 2 to 5 dimensions, got 1: [3]")

case(
    "layer_norm",
    X=rand(3, 2, 4),
    Scale=rand(8),
    Bias=rand(8),
    batch="X",
    expect=lambda X, Scale, Bias: (
        normal(X, (1, 2)) * Scale.reshape(2, 4) + Bias.reshape(2, 4),
        X.mean((1, 2)),
        X.var((1, 2)),
    ),
)
case(
    "layer_norm",
    X=rand(3, 2, 4),
    Scale=rand(4),
    begin_norm_axis=2,
    batch="X",
    expect=lambda X, Scale: normal(X, 2) * Scale,
)
case("layer_norm", X=ragged([[2, 1]], 4), expect_lod={"Y": "X"})
refuse("layer_norm", X=rand(3, 4), Scale=rand(5), says="X has 4 features from axis 1 on, but Scale has 5")
refuse("layer_norm", X=rand(3, 4), begin_norm_axis=2, says="begin_norm_axis must lie in [1, 1] for X [3, 4], got 2")

case(
    "group_norm",
    X=rand(2, 4, 3, 2),
    Scale=rand(4),
    Bias=rand(4),
    groups=2,
    batch="X",
    expect=lambda X, Scale, Bias: (
        normal(X.reshape(2, 2, -1), 2).reshape(X.shape) * flat(Scale, 4) + flat(Bias, 4),
        X.reshape(2, 2, -1).mean(2),
        X.reshape(2, 2, -1).var(2),
    ),
)
case(
    "group_norm",
    X=rand(2, 4, 3, 2),
    groups=4,
    expect=lambda X: normal(X, (2, 3)),
)
case("group_norm", X=rand(2, 4, 3, 2), Bias=rand(4), groups=2, batch="X")
case("group_norm", X=rand(2, 3, 2, 4), Scale=rand(4), groups=2, data_layout="NHWC", batch="X", grad_inputs="Scale")
for data_layout in ("NCHW", "NHWC"):  # groups of 2, 2 and 1 channel
    case("group_norm", X=rand(2, 5, 3, 5), Scale=rand(5), Bias=rand(5), groups=3, data_layout=data_layout, batch="X")
refuse("group_norm", X=rand(2, 4, 3, 3), groups=5, says="groups must be between 1 and the 4 channels of X, got 5")
refuse("group_norm", X=rand(2, 4, 3, 3), Scale=rand(2), groups=2, says="X has 4 channels, but Scale has 2 numbers")

for shape in ((2, 3, 3, 4), (2, 3, 4), (2, 3, 2, 2, 2)):
    case(
        "instance_norm",
        X=rand(*shape),
        Scale=rand(3),
        Bias=rand(3),
        batch="X",
        expect=lambda X, Scale, Bias: (
            normal(X, tuple(range(2, X.ndim))) * flat(Scale, X.ndim) + flat(Bias, X.ndim),
            X.reshape(6, -1).mean(1),
            1 / np.sqrt(X.reshape(6, -1).var(1) + 1e-5),
        ),
    )
refuse("instance_norm", X=rand(2, 3, 3), Scale=rand(4), Bias=rand(3), says="X has 3 channels, but Scale has 4 numbers")


def lrn(X, n, k, alpha, beta):
    squares = np.pad(X * X, [(0, 0), (n // 2, n // 2), (0, 0), (0, 0)])
    mid = k + alpha * sum(squares[:, i : i + X.shape[1]] for i in range(n))
    return X / mid**beta, mid


case("lrn", X=rand(2, 6, 2, 2), n=5, k=1.5, alpha=0.3, beta=0.6, expect=lrn)
case("lrn", X=rand(2, 2, 2, 6), n=3, alpha=0.3, data_format="NHWC")
refuse("lrn", X=rand(2, 6, 2, 2), n=4, says="lrn: n must be positive and odd, got 4")

case(
    "spectral_norm",
    Weight=rand(3, 4, 2),
    U=rand(4),
    V=rand(6),
    dim=1,
    power_iters=50,
    batch="",
    grad=False,
    why="Fluid takes the singular vectors as given, finite differences do not",
    expect=lambda Weight: Weight / np.linalg.svd(Weight.transpose(1, 0, 2).reshape(4, 6))[1][0],
)
refuse("spectral_norm", Weight=rand(3, 4), U=rand(4), V=rand(4), says="U and V must have 3 and 4 numbers, got 4 and 4")

sums = {"BatchSize": np.full(4, 5.0), "BatchSum": rand(4), "BatchSquareSum": positive(4)}
case(
    "data_norm",
    X=rand(3, 4),
    **sums,
    batch="X",
    grad_inputs="X",
    expect=lambda X, BatchSize, BatchSum, BatchSquareSum: (
        (X - BatchSum / BatchSize) * np.sqrt(BatchSize / BatchSquareSum)
    ),
)
case(
    "data_norm",
    scale_w=rand(4),
    bias=rand(4),
    X=rand(3, 4),
    **sums,
    enable_scale_and_shift=True,
    batch="X",
    grad_inputs="X scale_w bias",
)
unseen = rand(3, 4, away_from=0)
unseen[1, 2] = 0.0
case(
    "data_norm",
    X=unseen,
    **sums,
    slot_dim=2,
    grad=False,
    why="jumps at zero",
    expect=lambda X, BatchSize, BatchSum, BatchSquareSum: (
        (X - BatchSum / BatchSize) * np.sqrt(BatchSize / BatchSquareSum) * np.repeat(X[:, ::2] != 0, 2, 1)
    ),
    batch="X",
)
refuse("data_norm", X=rand(3, 5), **sums, says="data_norm: X has 5 features, but BatchSize has 4 numbers")
