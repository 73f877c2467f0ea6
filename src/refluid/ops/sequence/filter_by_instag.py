"""filter_by_instag: keep the instances that carry one of the wanted tags."""

from __future__ import annotations

from typing import Any

import torch

from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, NUMBERS, LoD, Long, Tensor, op


@op(
    "Out LossWeight IndexMap",
    dtypes={"Ins": NUMBERS, "Ins_tag": INDICES, "Filter_tag": INDICES},
    nograd="LossWeight IndexMap",
    makes_lod=True,
    late="Filter_tag Ins Ins_tag",
    grad_keeps="IndexMap LossWeight",
)
def filter_by_instag(
    Ins: Tensor,
    Ins_lod: LoD | None,
    Ins_tag: Tensor,
    Ins_tag_lod: LoD | None,
    Filter_tag: Tensor,
    *,
    is_lod: bool = True,
    out_val_if_empty: Long = 0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Out: the rows of the instances with a tag in Filter_tag; LossWeight [instances, 1]: ones.

    An instance is a sequence of Ins if that has a LoD, else a row, and so are its tags in Ins_tag. IndexMap [instances,
    3] has the first row in Out, the first row in Ins, and the number of rows. If none is left, Out is one row of
    out_val_if_empty and its weight 0.
    """
    spans = _chosen(Ins, Ins_lod, Ins_tag, Ins_tag_lod, Filter_tag)
    if not spans:
        out = Ins.new_full((1, *Ins.shape[1:]), out_val_if_empty)
        weight = Ins.new_zeros(1, 1, dtype=torch.float32)
        return out, weight, torch.tensor([[0, 1, 1]], device=Ins.device)
    rows = torch.tensor([row for start, end in spans for row in range(start, end)], device=Ins.device)
    table, out_row = [], 0
    for start, end in spans:
        table.append([out_row, start, end - start])
        out_row += end - start
    return (
        Ins.index_select(0, rows),
        Ins.new_ones(len(spans), 1, dtype=torch.float32),
        torch.tensor(table, device=Ins.device),
    )


@filter_by_instag.lods
def filter_by_instag_lods(ins: list, values: list, attrs: dict) -> list:
    spans = _chosen(values[0], ins[0], values[1], ins[1], values[2]) or [(0, 1)]
    ones = LoD.from_lengths([[1] * len(spans)])
    return [LoD.from_lengths([[end - start for start, end in spans]]), ones, ones]


@filter_by_instag.infer
def filter_by_instag_shape(inputs: list, attrs: dict) -> list:
    rows = inputs[0]
    return [
        rows._replace(shape=(-1, *rows.shape[1:]), lod_level=0),
        Spec((-1, 1), torch.float32, 0),
        Spec((-1, 3), torch.int64, 0),
    ]


def _chosen(ins: Tensor, lod: LoD | None, tags: Tensor, tags_lod: LoD | None, wanted: Tensor) -> list[Any]:
    """(first row, end) of every instance that is kept."""
    hit = torch.isin(tags.reshape(-1), wanted.reshape(-1)).tolist()
    instances = list(lod.spans()) if lod is not None else [(row, row + 1) for row in range(len(ins))]
    ranges = list(tags_lod.spans()) if tags_lod is not None else [(row, row + 1) for row in range(len(hit))]
    return [span for span, (start, end) in zip(instances, ranges, strict=False) if any(hit[start:end])]
