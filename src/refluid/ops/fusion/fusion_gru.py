"""fusion_gru: the projection of the inputs and the GRU fused."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, LoD, Tensor, op
from refluid.ops.sequence.gru import gru
from refluid.ops.sequence.segments import need_lod
from refluid.ops.sequence.steps import steps_of


@op(
    "ReorderedH0 XX BatchedInput BatchedOut Hidden",
    intermediate="ReorderedH0 XX BatchedInput BatchedOut",
    dispensable="ReorderedH0 BatchedInput BatchedOut",
    dtypes={"X": FLOATS, "WeightX": FLOATS, "WeightH": FLOATS},
    nograd="*",
)
def fusion_gru(
    X: Tensor,
    X_lod: LoD | None,
    H0: Tensor | None,
    WeightX: Tensor,
    WeightH: Tensor,
    Bias: Tensor | None = None,
    *,
    activation: str = "tanh",
    gate_activation: str = "sigmoid",
    is_reverse: bool = False,
    use_seq: bool = True,
    origin_mode: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gru of X.WeightX, with WeightH [D, 3D] as its Weight; WeightX is [columns of X, 3D].

    XX is the projected input with the bias. Without use_seq there are BatchedInput and BatchedOut, XX and Hidden in
    the order of steps, and ReorderedH0.
    """
    if X.dim() != 2 or WeightX.dim() != 2 or X.shape[1] != WeightX.shape[0]:
        raise ShapeError(f"WeightX must have a row for each column of X, got {list(WeightX.shape)}, {list(X.shape)}")
    projected = X.mm(WeightX) if Bias is None else torch.addmm(Bias.reshape(-1), X, WeightX)
    _, _, batched, hidden = gru.kernel(
        projected, X_lod, H0, WeightH, None, activation=activation, gate_activation=gate_activation,
        is_reverse=is_reverse, origin_mode=origin_mode and use_seq,  # Fluid reads origin_mode with use_seq alone
    )  # fmt: skip
    if use_seq:
        return None, projected, None, None, hidden
    steps = steps_of(need_lod(X_lod, X.shape[0]), is_reverse, X.device)
    first = None if H0 is None else steps.first(H0, X, H0.shape[1])
    return first, projected, steps.gather(projected), batched, hidden


@fusion_gru.infer
def fusion_gru_shape(inputs: list, attrs: dict) -> list | None:
    x, h0, weight, recurrent, _ = inputs
    size = recurrent.shape[0]
    if weight.shape != (x.shape[1], 3 * size) or recurrent.shape != (size, 3 * size):
        return None
    hidden = x._replace(shape=(x.shape[0], size))
    wide = x._replace(shape=(x.shape[0], 3 * size), lod_level=0)
    if attrs["use_seq"]:
        return [None, wide, None, None, hidden]
    return [h0, wide, wide, hidden._replace(lod_level=0), hidden]


@fusion_gru.lods
def fusion_gru_lods(ins: list, values: list, attrs: dict) -> list:
    return [None, ins[0], None, None, ins[0]]
