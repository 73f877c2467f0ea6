"""margin_rank_loss: one score should exceed another by a margin."""

from __future__ import annotations

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "Activated Out",
    dtypes={"X1": FLOATS, "X2": FLOATS, "Label": FLOATS},
    intermediate="Activated",
    naming="Out Activated",
    nograd="Label",
    late="X1 X2",
)
def margin_rank_loss(X1: Tensor, X2: Tensor, Label: Tensor, *, margin: float = 0.0) -> tuple[Tensor, Tensor]:
    """Out = max(0, margin - Label * (X1 - X2)): Label 1 ranks X1 higher, -1 X2. Activated is 1 where Out > 0."""
    same_shape(X1, X2, "X1 X2")
    same_shape(X1, Label, "X1 Label")
    out = (margin - Label * (X1 - X2)).clamp(min=0)
    return (out > 0).to(out.dtype), out


@margin_rank_loss.grad
def margin_rank_loss_grad(
    Label: Tensor, Activated: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...]
) -> tuple[Tensor | None, Tensor | None]:
    x2_grad = Out_grad * Activated * Label
    return -x2_grad if needs[0] else None, x2_grad if needs[1] else None
