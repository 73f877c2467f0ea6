"""lstmp: an LSTM with a recurrent projection layer (Sak et al., 2014)."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, LoD, Tensor, op
from refluid.ops.sequence.gates import activation
from refluid.ops.sequence.lstm import check_first
from refluid.ops.sequence.segments import need_lod
from refluid.ops.sequence.steps import steps_of


@op(
    "Projection Cell BatchGate BatchCellPreAct BatchHidden",
    dtypes={"Input": FLOATS, "Weight": FLOATS, "ProjWeight": FLOATS, "Bias": FLOATS},
    intermediate="BatchGate BatchCellPreAct BatchHidden",
    naming="Projection Cell BatchHidden BatchGate BatchCellPreAct",
    grad_keeps="BatchCellPreAct BatchGate BatchHidden Cell Projection",
)
def lstmp(
    Input: Tensor,
    Input_lod: LoD | None,
    H0: Tensor | None,
    C0: Tensor | None,
    Weight: Tensor,
    ProjWeight: Tensor,
    Bias: Tensor,
    *,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    cell_clip: float = 0.0,
    proj_clip: float = 0.0,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
    proj_activation: str = "tanh",
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """As lstm, with Weight [P, 4D] and ProjWeight [D, P]: a step reads the projection [P] of the previous step.

    Cells are clipped to cell_clip and projections to proj_clip, if these are above 0. The rest as in lstm.
    """
    size, width = _sizes(Input, Weight, ProjWeight, Bias, use_peepholes)
    lod = need_lod(Input_lod, Input.shape[0], "Input")
    check_first(lod, width, H0, "H0")
    check_first(lod, size, C0, "C0")
    steps = steps_of(lod, is_reverse, Input.device)
    of_gate, of_cell = activation(gate_activation), activation(cell_activation)
    of_candidate, of_projection = activation(candidate_activation), activation(proj_activation)
    bias = Bias.reshape(-1)
    see_i, see_f, see_o = bias[4 * size :].split(size) if use_peepholes else (None, None, None)
    shown, cell = steps.first(H0, Input, width), steps.first(C0, Input, size)
    columns: list[list[Tensor]] = [[], [], [], [], []]
    for x in steps.split(steps.gather(Input) + bias[: 4 * size]):
        shown, cell = shown[: len(x)], cell[: len(x)]
        c, i, f, o = torch.addmm(x, shown, Weight).split(size, 1)
        if see_i is not None and see_f is not None:
            i, f = torch.addcmul(i, cell, see_i), torch.addcmul(f, cell, see_f)
        c, i, f = of_candidate(c), of_gate(i), of_gate(f)
        cell = torch.addcmul(c * i, cell, f)
        if cell_clip > 0:
            cell = cell.clamp(-cell_clip, cell_clip)
        if see_o is not None:
            o = torch.addcmul(o, cell, see_o)
        o, active = of_gate(o), of_cell(cell)
        hidden = o * active
        shown = of_projection(hidden.mm(ProjWeight))
        if proj_clip > 0:
            shown = shown.clamp(-proj_clip, proj_clip)
        for column, value in zip(columns, (shown, cell, torch.cat([c, i, f, o], 1), active, hidden), strict=True):
            column.append(value)
    if not columns[0]:
        empty = Input.new_empty(0, size)
        return Input.new_empty(0, width), empty, torch.empty_like(Input), empty.clone(), empty.clone()
    projection, cells, gates, actives, hiddens = map(torch.cat, columns)
    return steps.scatter(projection), steps.scatter(cells), gates, actives, hiddens


@lstmp.lods
def lstmp_lods(ins: list, values: list, attrs: dict) -> list:
    return [ins[0], ins[0], None, None, None]


@lstmp.infer
def lstmp_shape(inputs: list, attrs: dict) -> list | None:
    x, _, _, weight, projection, bias = inputs
    if len(projection.shape) != 2:
        return None
    size, width = projection.shape
    biases = (7 if attrs["use_peepholes"] else 4) * size
    if x.shape != (x.shape[0], 4 * size) or weight.shape != (width, 4 * size):
        return None
    if math.prod(bias.shape) != biases:
        return None
    narrow = x._replace(shape=(x.shape[0], size))
    inner = narrow._replace(lod_level=0)
    return [x._replace(shape=(x.shape[0], width)), narrow, x._replace(lod_level=0), inner, inner]


def _sizes(x: Tensor, weight: Tensor, projection: Tensor, bias: Tensor, peepholes: bool) -> tuple[int, int]:
    size, width = projection.shape if projection.dim() == 2 else (-1, -1)
    if x.dim() != 2 or x.shape[1] != 4 * size or list(weight.shape) != [width, 4 * size]:
        raise ShapeError(
            f"ProjWeight must be [D, P], Weight [P, 4D] and Input [rows, 4D], "
            f"got {list(projection.shape)}, {list(weight.shape)}, {list(x.shape)}"
        )
    wanted = 7 if peepholes else 4
    if bias.numel() != wanted * size:
        said = f"with use_peepholes={peepholes}"
        raise ShapeError(f"Bias must have {wanted} * {size} elements {said}, got {list(bias.shape)}")
    return size, width
