"""fusion_squared_mat_sub and fusion_repeated_fc_relu: matrix products fused with elementwise operators."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ops.math.fc import fc
from refluid.ops.registry import FLOATS, Tensor, op

SQUARES = "SquaredX SquaredY SquaredXY"


@op(f"{SQUARES} Out", intermediate=SQUARES, dtypes={"X": FLOATS, "Y": FLOATS}, nograd="*")
def fusion_squared_mat_sub(X: Tensor, Y: Tensor, *, scalar: float = 1.0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Out = ((X.Y)^2 - X^2.Y^2) * scalar, the interactions of a factorization machine."""
    x, y, product = X.square(), Y.square(), X.mm(Y).square()
    return x, y, product, (product - x.mm(y)) * scalar


@op("ReluOut Out", intermediate="ReluOut", duplicable="ReluOut", dtypes={"X": FLOATS, "W": FLOATS}, nograd="*")
def fusion_repeated_fc_relu(X: Tensor, W: list[Tensor], Bias: list[Tensor]) -> tuple[list[Tensor], Tensor]:
    """Out = relu(..relu(relu(X.W[0] + Bias[0]).W[1] + Bias[1])..); ReluOut are the results before the last."""
    if len(W) != len(Bias) or len(W) < 2:
        raise ArgumentError(f"W and Bias must be equally many, at least two, got {len(W)} and {len(Bias)}")
    outs = [X]
    for weight, bias in zip(W, Bias, strict=True):
        outs.append(fc.kernel(outs[-1], weight, bias, activation_type="relu"))
    return outs[1:-1], outs[-1]
