"""rank_attention: a product whose weights depend on the ranks of two items of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, Tensor, op


@op("Out", lod=None, dtypes={"X": FLOATS, "RankOffset": INDICES, "RankParam": FLOATS}, nograd="X RankOffset")
def rank_attention(X: Tensor, RankOffset: Tensor, RankParam: Tensor, *, MaxRank: int = 3) -> Tensor:
    """Out[i] is the sum over k of X[index_k] times the block (rank, rank_k) of RankParam.

    Row i of RankOffset is rank, rank_1, index_1, .. of MaxRank items on its page: ranks count from 1, and 0 means none.
    RankParam [MaxRank * MaxRank * width, outputs] is one matrix [width, outputs] for each pair of ranks. X gets no
    gradient.
    """
    _check(X.shape, RankOffset.shape, RankParam.shape, MaxRank)
    width = X.shape[1]
    own = RankOffset[:, :1].to(torch.int64) - 1
    others, index = RankOffset[:, 1::2].to(torch.int64) - 1, RankOffset[:, 2::2].to(torch.int64)
    there = (own >= 0) & (others >= 0)
    _check_ranks(own, others, index, there, MaxRank, X.shape[0])
    zero = torch.zeros_like(index)
    pair = torch.where(there, own * MaxRank + others, zero)
    taken = X[torch.where(there, index, zero)] * there.unsqueeze(-1)
    blocks = RankParam.reshape(MaxRank * MaxRank, width, -1)[pair]
    return torch.einsum("nkw,nkwo->no", taken, blocks)


@rank_attention.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, offset, param = inputs
    _check(x.shape, offset.shape, param.shape, attrs["MaxRank"])
    return [Spec((x.shape[0], param.shape[1]), x.dtype)]


def _check(x: Sequence[int], offset: Sequence[int], param: Sequence[int], ranks: int) -> None:
    if len(x) != 2:
        raise ShapeError(f"X must be [N, width], got {list(x)}")
    if len(offset) != 2 or offset[1] != 1 + 2 * ranks:
        raise ShapeError(f"RankOffset must be [N, 1 + 2 * MaxRank] with MaxRank={ranks}, got {list(offset)}")
    if len(param) != 2 or param[0] != ranks * ranks * x[1]:
        raise ShapeError(
            f"RankParam must be [MaxRank * MaxRank * width, outputs] = [{ranks * ranks * x[1]}, ..], got {list(param)}"
        )


def _check_ranks(own: Tensor, others: Tensor, index: Tensor, there: Tensor, ranks: int, rows: int) -> None:
    if (own >= ranks).any() or (others >= ranks).any():
        raise ValueRangeError(f"RankOffset has a rank above MaxRank={ranks}")
    used = index[there]
    if used.numel() and not 0 <= int(used.amin()) <= int(used.amax()) < rows:
        raise ValueRangeError(f"RankOffset has an index outside 0 to {rows - 1}, the rows of X")
