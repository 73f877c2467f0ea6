"""fusion_lstm: the projection of the inputs and the LSTM fused."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op
from refluid.ops.sequence.lstm import lstm
from refluid.ops.sequence.segments import need_lod
from refluid.ops.sequence.steps import steps_of

BATCHED = "BatchedInput BatchedHidden BatchedCell ReorderedH0 ReorderedC0"
Results = tuple[Tensor | None, ...]


@op(
    f"Hidden Cell XX {BATCHED} CheckedCell",
    intermediate=f"XX {BATCHED} CheckedCell",
    dispensable=f"{BATCHED} CheckedCell",
    dtypes={"X": FLOATS, "WeightX": FLOATS, "WeightH": FLOATS, "Bias": FLOATS},
    nograd="*",
)
def fusion_lstm(
    X: Tensor,
    X_lod: LoD | None,
    WeightX: Tensor,
    WeightH: Tensor,
    Bias: Tensor,
    H0: Tensor | None = None,
    C0: Tensor | None = None,
    *,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    use_seq: bool = True,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
) -> Results:
    """The lstm of X.WeightX, with WeightH [D, 4D] as its Weight; WeightX is [columns of X, 4D].

    XX is the projected input with the bias. The outputs Batched* and Reordered* exist only without use_seq, in the
    order of steps; CheckedCell, a work space of Fluid's peepholes, never.
    """
    if X.dim() != 2 or WeightX.dim() != 2 or X.shape[1] != WeightX.shape[0]:
        raise ShapeError(f"WeightX must have a row for each column of X, got {list(WeightX.shape)}, {list(X.shape)}")
    width = 4 * WeightH.shape[0]
    hidden, cell, _, _ = lstm.kernel(
        X.mm(WeightX), X_lod, H0, C0, WeightH, Bias,
        use_peepholes=use_peepholes, is_reverse=is_reverse, gate_activation=gate_activation,
        cell_activation=cell_activation, candidate_activation=candidate_activation,
    )  # fmt: skip
    projected = torch.addmm(Bias.reshape(-1)[:width], X, WeightX)
    batched = (None,) * 5 if use_seq else in_steps(X_lod, is_reverse, projected, hidden, cell, H0, C0)
    return hidden, cell, projected, *batched, None


@op(
    f"Hidden Cell XX {BATCHED}",
    intermediate=f"XX {BATCHED}",
    dispensable=BATCHED,
    dtypes={"Ids": INDICES, "Embeddings": FLOATS, "WeightH": FLOATS, "Bias": FLOATS},
    nograd="*",
)
def fused_embedding_fc_lstm(
    Ids: Tensor,
    Ids_lod: LoD | None,
    Embeddings: Tensor,
    WeightH: Tensor,
    Bias: Tensor,
    H0: Tensor | None = None,
    C0: Tensor | None = None,
    *,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    use_seq: bool = True,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
) -> Results:
    """The lstm of the rows Embeddings[Ids]: Embeddings [ids, 4D] are projected, and have the bias, already."""
    rows = Embeddings.index_select(0, Ids.reshape(-1))
    width = 4 * WeightH.shape[0]
    peepholes = torch.cat([torch.zeros_like(Bias.reshape(-1)[:width]), Bias.reshape(-1)[width:]])
    hidden, cell, _, _ = lstm.kernel(
        rows, Ids_lod, H0, C0, WeightH, peepholes,
        use_peepholes=use_peepholes, is_reverse=is_reverse, gate_activation=gate_activation,
        cell_activation=cell_activation, candidate_activation=candidate_activation,
    )  # fmt: skip
    batched = (None,) * 5 if use_seq else in_steps(Ids_lod, is_reverse, rows, hidden, cell, H0, C0)
    return hidden, cell, rows, *batched


def in_steps(
    lod: LoD | None, reverse: bool, x: Tensor, hidden: Tensor, cell: Tensor, h0: Tensor | None, c0: Tensor | None
) -> Results:
    """The inputs and results of an lstm in the order of its steps (sequence/steps.py)."""
    steps = steps_of(need_lod(lod, x.shape[0]), reverse, x.device)
    first = [None if t is None else steps.first(t, x, t.shape[1]) for t in (h0, c0)]
    return *(steps.gather(t) for t in (x, hidden, cell)), *first


def _shape(inputs: list, attrs: dict) -> list | None:
    """Hidden, Cell and the other outputs; the kernel reports wrong calls."""
    x, weight, recurrent, h0, c0 = inputs[0], inputs[-5], inputs[-4], inputs[-2], inputs[-1]
    size = recurrent.shape[0]
    if weight.shape[1:] != (4 * size,) or recurrent.shape != (size, 4 * size):
        return None
    narrow = x._replace(shape=(x.shape[0], size), dtype=weight.dtype)
    wide = narrow._replace(shape=(x.shape[0], 4 * size), lod_level=0)
    if attrs["use_seq"]:
        return [narrow, narrow, wide, None, None, None, None, None]
    inner = narrow._replace(lod_level=0)
    return [narrow, narrow, wide, wide, inner, inner, h0, c0]


@fusion_lstm.infer
def fusion_lstm_shape(inputs: list, attrs: dict) -> list | None:
    shapes = _shape(inputs, attrs)
    return shapes and [*shapes, None]


@fused_embedding_fc_lstm.infer
def fused_embedding_fc_lstm_shape(inputs: list, attrs: dict) -> list | None:
    return _shape(inputs, attrs)


def _lods(ins: list[Any], values: list, attrs: dict) -> list:
    return [ins[0], ins[0], ins[0], *[None] * 5]


@fusion_lstm.lods
def fusion_lstm_lods(ins: list[Any], values: list, attrs: dict) -> list:
    return [*_lods(ins, values, attrs), None]


@fused_embedding_fc_lstm.lods
def fused_embedding_fc_lstm_lods(ins: list[Any], values: list, attrs: dict) -> list:
    return _lods(ins, values, attrs)
