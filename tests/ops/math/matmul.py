"""Rows of matmul and mul."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse


def matmul(X, Y, transpose_X, transpose_Y, alpha):
    if transpose_X:
        X = np.swapaxes(X, -1, -2) if X.ndim > 1 else X[:, None]
    if transpose_Y:
        Y = np.swapaxes(Y, -1, -2) if Y.ndim > 1 else Y[None]
    return alpha * (X @ Y)


SHAPES = [
    ((2, 3), (3, 4), 0, 0),
    ((3, 2), (3, 4), 1, 0),
    ((2, 3), (4, 3), 0, 1),
    ((3, 2), (4, 3), 1, 1),
    ((3,), (3,), 0, 0),
    ((3,), (4,), 1, 1),
    ((2, 3), (3,), 0, 0),
    ((3, 2), (3,), 1, 0),
    ((3,), (3, 2), 0, 0),
    ((3,), (2, 3), 0, 1),
    ((4, 2, 3), (3, 5), 0, 0),
    ((4, 3, 2), (5, 3), 1, 1),
    ((4, 2, 3), (4, 3, 5), 0, 0),
    ((4, 2, 3), (4, 5, 3), 0, 1),
    ((2, 3), (4, 3, 5), 0, 0),
    ((4, 2, 3), (3,), 0, 0),
    ((3,), (4, 3, 2), 0, 0),
    ((2, 4, 2, 3), (2, 4, 3, 5), 0, 0),
    ((2, 4, 3, 2), (2, 4, 5, 3), 1, 1),
]
for x, y, transpose_x, transpose_y in SHAPES:
    for alpha in (1.0, 0.5):
        case(
            "matmul",
            X=rand(*x),
            Y=rand(*y),
            transpose_X=transpose_x == 1,
            transpose_Y=transpose_y == 1,
            alpha=alpha,
            expect=matmul,
            batch="X" if len(x) > 2 else "",
        )
case("matmul", X=ragged([[2, 1]], 4), Y=rand(4, 2), expect_lod="X")
refuse(
    "matmul", X=rand(2, 3), Y=rand(4, 5), says="matmul: X has 3 columns, but Y has 4 rows (shapes [2, 3] and [4, 5])"
)
refuse("matmul", X=rand(2, 3), Y=rand(3, 4), transpose_X=True, says="matmul: X^T has 2 columns, but Y has 3 rows")
refuse("matmul", X=rand(2, 2, 3), Y=rand(3, 3, 4), says="matmul: the batches of X and Y do not broadcast (shapes")
refuse(
    "matmul", X=rand(2, 3), Y=rand(3, 4, dtype="float32"), says="X and Y must have one dtype, got float64 and float32"
)
refuse("matmul", X=ints(2, 3), Y=ints(3, 4), says="matmul: X must be floating point, got int64")

case("mul", X=rand(2, 3), Y=rand(3, 4), expect=lambda X, Y: X @ Y, batch="X")
case("mul", X=rand(65, 3), Y=rand(3, 2), expect=lambda X, Y: X @ Y, batch="X")  # few columns: transposed
case("mul", X=rand(2, 3, 4), Y=rand(12, 5), expect=lambda X, Y: X.reshape(2, 12) @ Y, batch="X")
case("mul", X=rand(2, 3, 4), Y=rand(4, 5), x_num_col_dims=2, expect=lambda X, Y: X @ Y, batch="X")
case(
    "mul",
    X=rand(2, 3, 4),
    Y=rand(2, 2, 5),
    x_num_col_dims=2,
    y_num_col_dims=2,
    batch="X",
    expect=lambda X, Y: X @ Y.reshape(4, 5),
)
case("mul", X=rand(2, 3), Y=rand(3, 4, 5), expect=lambda X, Y: (X @ Y.reshape(3, 20)).reshape(2, 4, 5), batch="X")
case("mul", X=ragged([[2, 1]], 4), Y=rand(4, 2), expect_lod="X")
refuse("mul", X=rand(2, 784), Y=rand(100, 10), says="mul: X flattened from axis 1 has 784 columns, but Y has 100 rows")
refuse("mul", X=rand(3), Y=rand(3, 2), says="mul: X of rank 1 cannot be flattened to a matrix at axis 1")
refuse("mul", X=rand(2, 3), Y=rand(3, 4, dtype="float32"), says="X and Y must have one dtype, got float64 and float32")


def heads(X, Y, head_number):
    """Every head has a part of X's columns, and of Y the same part of its rows (or else a part of its columns)."""
    by_row = X.shape[-1] == Y.shape[-2]
    parts = np.split(X, head_number, -1), np.split(Y, head_number, -2 if by_row else -1)
    return np.concatenate([x @ y for x, y in zip(*parts, strict=True)], -1)


for x, y in (((2, 4), (4, 3)), ((5, 2, 4), (4, 3)), ((5, 2, 4), (5, 2, 6))):
    case("matmul", X=rand(*x), Y=rand(*y), head_number=2, expect=heads, batch="X" if len(x) > 2 else "")
refuse("matmul", X=rand(2, 3), Y=rand(3, 4), head_number=2, says="the 3 columns of X cannot be dealt out to 2 heads")
refuse("matmul", X=rand(2, 4), Y=rand(2, 3), head_number=2, says="2 heads of 4 columns of X need 4 rows of Y, or 2 and")
