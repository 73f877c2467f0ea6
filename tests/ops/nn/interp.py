"""Rows of the *_interp operators."""

import numpy as np
from tests.ops.cases import case, fixture, rand, refuse

for op in ("bilinear_interp", "nearest_interp", "trilinear_interp", "bicubic_interp"):
    fixture(op)


def linear(x, axis, new, align_corners, align_mode):
    """One axis of a linear interpolation, as a matrix."""
    old = x.shape[axis]
    ratio = 0.0 if new == 1 else (old - 1) / (new - 1) if align_corners else old / new
    matrix = np.zeros((new, old))
    for i in range(new):
        at = ratio * i if align_corners or align_mode == 1 else max(ratio * (i + 0.5) - 0.5, 0.0)
        low = min(int(at), old - 1)
        matrix[i, low] += 1 - (at - int(at))
        matrix[i, min(low + 1, old - 1)] += at - int(at)
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def interpolated(X, out_d, out_h, out_w, align_corners, align_mode):
    for axis, size in zip(range(X.ndim - 1, 1, -1), (out_w, out_h, out_d)):
        X = linear(X, axis, size, align_corners, align_mode)
    return X


for corners, mode in ((True, 1), (False, 0), (False, 1)):
    how = {"align_corners": corners, "align_mode": mode, "expect": interpolated}
    case("linear_interp", X=rand(2, 3, 5), out_w=8, **how)
    case("bilinear_interp", X=rand(2, 3, 4, 5), out_h=7, out_w=3, **how)
    case("bilinear_interp", X=rand(2, 3, 4, 5), out_h=1, out_w=10, **how)
    case("trilinear_interp", X=rand(2, 3, 2, 4, 3), out_d=3, out_h=2, out_w=5, **how)
case(
    "nearest_interp",
    X=rand(2, 3, 4, 4),
    out_h=8,
    out_w=2,
    interp_method="nearest",
    align_corners=False,
    expect=lambda X: X.repeat(2, 2)[:, :, :, ::2],
)
case(
    "nearest_interp",
    X=rand(2, 3, 4, 4),
    out_h=7,
    out_w=2,
    interp_method="nearest",
    expect=lambda X: X[:, :, [0, 1, 1, 2, 2, 3, 3]][..., [0, 3]],
)
cubic = {"X": rand(2, 3, 4, 4), "interp_method": "bicubic"}
case("bicubic_interp", **cubic, out_h=4, out_w=4, expect=lambda X: X)
case("bicubic_interp", **cubic, out_h=1, out_w=7, align_corners=False)
case("bilinear_interp", X=rand(2, 4, 5, 3), out_h=3, out_w=6, data_layout="NHWC")
case("bilinear_interp", X=rand(2, 3, 4, 4), scale=1.6, expect=lambda X: interpolated(X, 0, 6, 6, True, 1))
bilinear = {"X": rand(2, 3, 4, 4), "batch": "X"}
case(
    "bilinear_interp", **bilinear, OutSize=np.array([3, 5], "int32"), expect=lambda X: interpolated(X, 0, 3, 5, True, 1)
)
case("bilinear_interp", **bilinear, Scale=np.array([2.0]), expect=lambda X: interpolated(X, 0, 8, 8, True, 1))
case(
    "bilinear_interp",
    **bilinear,
    SizeTensor=[np.array([3], "int32"), np.array([5], "int32")],
    out_h=3,
    out_w=-1,
    expect=lambda X: interpolated(X, 0, 3, 5, True, 1),
)
image = rand(2, 3, 4, 4)
refuse("bilinear_interp", X=image, says="bilinear_interp: the output size must be 2 positive numbers, got [0, 0]")
refuse("bilinear_interp", X=rand(2, 3, 4), out_h=2, out_w=2, says="X must have 4 dimensions, got 3: [2, 3, 4]")
refuse(
    "nearest_interp",
    X=image,
    out_h=2,
    out_w=2,
    interp_method="trilinear",
    says="interp_method must be one of bilinear, nearest, bicubic for 2 spatial axes, got 'trilinear'",
)
