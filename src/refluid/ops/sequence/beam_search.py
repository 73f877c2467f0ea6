"""beam_search: of all ways to go on with the beams of every sentence, choose the best."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod


class Way(NamedTuple):
    """One way to go on: which row it goes on from, with which id, and the score of the whole."""

    row: int
    id: int
    score: float


@op(
    "selected_ids selected_scores parent_idx",
    dispensable="parent_idx",
    dtypes={"pre_ids": INDICES, "pre_scores": FLOATS, "scores": FLOATS},
    nograd="*",
    naming="selected_scores selected_ids parent_idx",
)
def beam_search(
    pre_ids: Tensor,
    pre_scores: Tensor,
    ids: Tensor | None,
    scores: Tensor,
    scores_lod: LoD | None,
    *,
    beam_size: int,
    end_id: int,
    level: int = 0,
    is_accumulated: bool = True,
) -> tuple[Tensor, Tensor, Tensor]:
    """The beam_size best of each sentence: ids [M, 1], scores [M, 1], and the rows that they go on from [M].

    pre_ids and pre_scores [rows, 1] are the beams so far; ids and scores [rows, K] the candidates for each (without
    ids, their numbers). The LoD of scores says at `level` which rows belong to a sentence. scores are those of whole
    beams or, if not is_accumulated, probabilities of the step alone. A beam that has ended goes on as it is; a sentence
    whose beams have all ended is given up. The LoD of the results has the sentences, then the rows gone on from.
    """
    if beam_size < 1:
        raise ArgumentError(f"beam_size must be positive, got {beam_size}")
    if scores.dim() != 2 or pre_ids.numel() != len(scores) or (ids is not None and ids.shape != scores.shape):
        raise ShapeError(f"pre_ids must be [rows, 1], ids and scores [rows, K], got scores {list(scores.shape)}")
    ways = _best(pre_ids, pre_scores, ids, scores, scores_lod, beam_size, end_id, level, is_accumulated)
    flat = [way for row in ways for way in row]
    return (
        torch.tensor([[way.id] for way in flat], dtype=pre_ids.dtype, device=scores.device).reshape(-1, 1),
        torch.tensor([[way.score] for way in flat], dtype=scores.dtype, device=scores.device).reshape(-1, 1),
        torch.tensor([way.row for way in flat], dtype=torch.int32, device=scores.device),
    )


@beam_search.lods
def beam_search_lods(ins: list, values: list, attrs: dict) -> list:
    keys = ("beam_size", "end_id", "level", "is_accumulated")
    ways = _best(*values, ins[3], *(attrs[key] for key in keys))
    sentences = ins[3].down_to_rows(attrs["level"])
    counts = [len(row) for row in ways]
    rows = LoD.from_lengths([counts]).levels[0]
    lod = LoD([sentences, rows])
    return [lod, lod, None]


@beam_search.infer
def beam_search_shape(inputs: list, attrs: dict) -> list:
    column = (-1, 1)
    ids = inputs[0]._replace(shape=column, lod_level=0)
    return [ids, Spec(column, inputs[3].dtype, 0), Spec((-1,), torch.int32, 0)]


def _best(pre_ids: Tensor, pre_scores: Tensor, ids: Tensor | None, scores: Tensor, lod: LoD | None, size: int,
          end_id: int, level: int, accumulated: bool) -> list[list[Way]]:  # fmt: skip
    """For every row the ways that go on from it, best first."""
    offsets = need_lod(lod, len(scores), "scores").down_to_rows(level)
    before, sums = pre_ids.reshape(-1).tolist(), pre_scores.reshape(-1).tolist()
    values, names = scores.tolist(), None if ids is None else ids.tolist()
    chosen: list[list[Way]] = [[] for _ in before]
    for start, end in pairwise(offsets):
        best: list[Way] = []
        for row in range(start, end):
            if before[row] == end_id:
                _insert(best, Way(row, end_id, sums[row]), size)
                continue
            for k, value in enumerate(values[row]):
                score = value if accumulated else sums[row] + (math.log(value) if value > 0 else -math.inf)
                _insert(best, Way(row, k if names is None else names[row][k], score), size)
        if all(way.id == end_id and before[way.row] == end_id for way in best):
            continue
        for way in best:
            chosen[way.row].append(way)
    return chosen


def _insert(best: list[Way], way: Way, size: int) -> None:
    """Keep the best, in order. Of equal ones, Fluid prefers later rows, and lets the last come in for the worst."""
    rank = (way.score, way.row)
    if len(best) == size:
        if rank < (best[-1].score, best[-1].row):
            return
        best.pop()
    at = len(best)
    while at and (best[at - 1].score, best[at - 1].row) < rank:
        at -= 1
    best.insert(at, way)
