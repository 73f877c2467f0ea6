"""beam_search_decode: the sentences of a beam search, backtracked from the choices of every step."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Tensor, op


class Chosen(NamedTuple):
    """The choices of one step; its LoD has sentences over parent rows over chosen rows."""

    ids: list[int]
    scores: list[float]
    sentences: tuple[int, ...]
    rows: tuple[int, ...]


class Sentence(NamedTuple):
    """Ids and scores from the end on."""

    ids: list[int]
    scores: list[float]


@op("SentenceIds SentenceScores", nograd="*", makes_lod=True)
def beam_search_decode(Ids: Tensor, Scores: Tensor, *, beam_size: int, end_id: int) -> tuple[Tensor, Tensor]:
    """Ids and Scores are arrays of what beam_search gave at every step; the results are whole sentences [total].

    Their LoD has the sentences of each source, best first, and the words of each sentence, with one end_id at most.
    """
    sentences = [sentence for source in _sentences(Ids, Scores, end_id) for sentence in source]
    dtype = Scores[0].t.dtype  # type: ignore[attr-defined]
    ids = [one for sentence in sentences for one in reversed(sentence.ids)]
    scores = [one for sentence in sentences for one in reversed(sentence.scores)]
    return torch.tensor(ids, dtype=torch.int64), torch.tensor(scores, dtype=dtype)


@beam_search_decode.lods
def beam_search_decode_lods(ins: list, values: list, attrs: dict) -> list:
    sources = _sentences(values[0], values[1], attrs["end_id"])
    lengths = [len(sentence.ids) for source in sources for sentence in source]
    return [LoD.from_lengths([[len(source) for source in sources], lengths])] * 2


@beam_search_decode.infer
def beam_search_decode_shape(inputs: list, attrs: dict) -> list:
    return [Spec((-1,), torch.int64, 2), Spec((-1,), inputs[1].dtype, 2)]


def _sentences(ids: Any, scores: Any, end_id: int) -> list[list[Sentence]]:
    """The sentences of every source, best first."""
    steps = [_step(t, *pair) for t, pair in enumerate(zip(ids, scores, strict=True))]
    if not steps:
        raise ValueRangeError("Ids has no elements: no step of the search was written")
    by_source = []
    for source in range(len(steps[0].sentences) - 1):
        open_at: list[tuple[int, Sentence]] = []  # the row of this step that a sentence continues
        for step in reversed(steps):
            first, last = (step.rows[step.sentences[source + side]] for side in (0, 1))
            if not open_at:  # the last step that still had beams of this source
                open_at = [(row, Sentence([], [])) for row in range(first, last)]
            before = []
            for row, sentence in open_at:
                if step.ids[row] != end_id or not sentence.ids:  # beams that have ended repeat their end
                    sentence.ids.append(step.ids[row])
                    sentence.scores.append(step.scores[row])
                before.append((bisect_right(step.rows, row) - 1, sentence))
            open_at = before
        by_source.append(sorted((sentence for _, sentence in open_at), key=lambda one: -one.scores[0]))
    return by_source


def _step(number: int, ids: Any, scores: Any) -> Chosen:
    lod = ids.lod_value
    if lod is None or len(lod) != 2:
        raise ShapeError(f"element {number} of Ids must have the two LoD levels that beam_search gives")
    return Chosen(ids.t.reshape(-1).tolist(), scores.t.reshape(-1).tolist(), *lod.levels)
