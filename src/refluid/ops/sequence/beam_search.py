"""beam_search: one step of a beam search: the best continuations of the beams of every sentence."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.native import call as native
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod


class Candidate(NamedTuple):
    """A continuation of a beam: its parent row, the id, and the score of the whole sentence."""

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
    """The beam_size best of each sentence: ids [M, 1], scores [M, 1], and their parent rows [M].

    pre_ids and pre_scores [rows, 1] are the beams so far; ids and scores [rows, K] the candidates for each (without
    ids, their numbers). The LoD of scores says at `level` which rows belong to a sentence. scores are those of whole
    beams or, if not is_accumulated, probabilities of the step alone. A beam that has ended stays as it is; a sentence
    whose beams have all ended is removed. The LoD of the results has the sentences, then the parent rows.
    """
    if beam_size < 1:
        raise ArgumentError(f"beam_size must be positive, got {beam_size}")
    if scores.dim() != 2 or pre_ids.numel() != len(scores) or (ids is not None and ids.shape != scores.shape):
        raise ShapeError(f"pre_ids must be [rows, 1], ids and scores [rows, K], got scores {list(scores.shape)}")
    beams = _best(pre_ids, pre_scores, ids, scores, scores_lod, beam_size, end_id, level, is_accumulated)
    return beams.ids.to(pre_ids.dtype).reshape(-1, 1), beams.scores.reshape(-1, 1), beams.rows


@beam_search.lods
def beam_search_lods(ins: list, values: list, attrs: dict) -> list:
    pre_ids, pre_scores, ids, scores = values
    beam_size, end_id, level, is_accumulated = (
        attrs[name] for name in ("beam_size", "end_id", "level", "is_accumulated")
    )
    beams = _best(pre_ids, pre_scores, ids, scores, ins[3], beam_size, end_id, level, is_accumulated)
    lod = LoD([ins[3].down_to_rows(level), LoD.from_lengths([beams.counts.tolist()]).levels[0]])
    return [lod, lod, None]


@beam_search.infer
def beam_search_shape(inputs: list, attrs: dict) -> list:
    column = (-1, 1)
    ids = inputs[0]._replace(shape=column, lod_level=0)
    return [ids, Spec(column, inputs[3].dtype, 0), Spec((-1,), torch.int32, 0)]


class Beams(NamedTuple):
    """The chosen beams by parent row, best first: ids, scores, parents [M], and the number per parent row [rows]."""

    ids: Tensor
    scores: Tensor
    rows: Tensor
    counts: Tensor


def _best(pre_ids: Tensor, pre_scores: Tensor, ids: Tensor | None, scores: Tensor, lod: LoD | None, size: int,
          end_id: int, level: int, accumulated: bool) -> Beams:  # fmt: skip
    offsets = need_lod(lod, len(scores), "scores").down_to_rows(level)
    if not native.takes(scores):
        return _best_in_python(pre_ids, pre_scores, ids, scores, offsets, size, end_id, accumulated)
    rows, width = scores.shape
    most = size * (len(offsets) - 1)
    beams = Beams(
        torch.empty(most, dtype=torch.int64),
        scores.new_empty(most),
        torch.empty(most, dtype=torch.int32),
        torch.zeros(rows, dtype=torch.int64),
    )
    count = native.call(
        "beam_search_", pre_ids.reshape(-1).long(), pre_scores.reshape(-1).to(scores.dtype),
        None if ids is None else ids.long().contiguous(), scores.contiguous(), width, torch.tensor(offsets),
        len(offsets) - 1, size, end_id, accumulated, *beams,
    )  # fmt: skip
    return Beams(beams.ids[:count], beams.scores[:count], beams.rows[:count], beams.counts)


def _best_in_python(pre_ids: Tensor, pre_scores: Tensor, ids: Tensor | None, scores: Tensor, offsets: tuple[int, ...],
                    size: int, end_id: int, accumulated: bool) -> Beams:  # fmt: skip
    before, sums = pre_ids.reshape(-1).tolist(), pre_scores.reshape(-1).tolist()
    values, names = scores.tolist(), None if ids is None else ids.tolist()
    chosen: list[list[Candidate]] = [[] for _ in before]
    for start, end in pairwise(offsets):
        best: list[Candidate] = []
        for row in range(start, end):
            if before[row] == end_id:
                _insert(best, Candidate(row, end_id, sums[row]), size)
                continue
            for k, value in enumerate(values[row]):
                score = value if accumulated else sums[row] + (math.log(value) if value > 0 else -math.inf)
                _insert(best, Candidate(row, k if names is None else names[row][k], score), size)
        if all(candidate.id == end_id and before[candidate.row] == end_id for candidate in best):
            continue
        for candidate in best:
            chosen[candidate.row].append(candidate)
    flat, device = [candidate for row in chosen for candidate in row], scores.device
    return Beams(
        torch.tensor([candidate.id for candidate in flat], dtype=torch.int64, device=device),
        torch.tensor([candidate.score for candidate in flat], dtype=scores.dtype, device=device),
        torch.tensor([candidate.row for candidate in flat], dtype=torch.int32, device=device),
        torch.tensor([len(row) for row in chosen], dtype=torch.int64),
    )


def _insert(best: list[Candidate], candidate: Candidate, size: int) -> None:
    """Keep the best, in order. Of equal scores Fluid prefers later rows, and the last one replaces the worst."""
    rank = (candidate.score, candidate.row)
    if len(best) == size:
        if rank < (best[-1].score, best[-1].row):
            return
        best.pop()
    position = len(best)
    while position and (best[position - 1].score, best[position - 1].row) < rank:
        position -= 1
    best.insert(position, candidate)
