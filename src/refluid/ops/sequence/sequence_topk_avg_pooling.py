"""sequence_topk_avg_pooling: averages of the largest numbers in every row of ragged images."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Shape, Tensor, op
from refluid.ops.sequence.grids import check_column, grids


@op("Out pos", intermediate="pos", dtypes={"X": FLOATS}, grad_keeps="pos")
def sequence_topk_avg_pooling(
    X: Tensor,
    X_lod: LoD | None,
    ROW: Shape,
    ROW_lod: LoD | None,
    COLUMN: Shape,
    COLUMN_lod: LoD | None,
    *,
    topks: list[int],
    channel_num: int,
) -> tuple[Tensor, Tensor]:
    """Out [rows, channel_num * len(topks)]: the sum of the k largest numbers of a row, divided by k, for every k.

    A row with fewer columns than k counts as if it had zeros. pos (int32) holds the columns of the largest, in order,
    -1 where there is none: max(topks) for each row and channel.
    """
    _check(X.shape, topks)
    most = max(topks)
    outs, places = [], []
    for grid in grids(X_lod, X.shape, ROW_lod, COLUMN_lod, channel_num):
        image = X[grid.start : grid.end].reshape(channel_num, grid.height, grid.width).transpose(0, 1)
        values, columns = image.topk(min(most, grid.width), dim=2)
        missing = (0, most - values.shape[2])
        sums = torch.nn.functional.pad(values, missing).cumsum(2)
        outs.append(torch.stack([sums[:, :, k - 1] / k for k in topks], 2).flatten(1))
        places.append(torch.nn.functional.pad(columns, missing, value=-1).reshape(-1))
    return torch.cat(outs), torch.cat(places).to(torch.int32)


@sequence_topk_avg_pooling.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, row, _ = inputs
    _check(x.shape, attrs["topks"])
    shape = (row.shape[0], attrs["channel_num"] * len(attrs["topks"]))
    return [Spec(shape, x.dtype, 1), Spec((-1,), torch.int32, 0)]


@sequence_topk_avg_pooling.lods
def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [ins[1], None]


def _check(x: object, topks: list[int]) -> None:
    check_column(x)
    if not topks or min(topks) < 1:
        raise ArgumentError(f"topks must be positive numbers, got {topks}")
