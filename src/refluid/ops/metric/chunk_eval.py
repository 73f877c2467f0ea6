"""chunk_eval: precision and recall of the chunks that a sequence of tags marks, such as named entities."""

from __future__ import annotations

from typing import NamedTuple

import torch

from refluid.core.errors import ArgumentError
from refluid.native import call as native
from refluid.ops.loss.labels import class_index, same_shape
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod, positions


class Scheme(NamedTuple):
    """The number of tags per chunk type, and which of them begin, continue, end, or are a chunk (-1: none does)."""

    tags: int
    begin: int
    inside: int
    end: int
    single: int


SCHEMES = {
    "IOB": Scheme(2, begin=0, inside=1, end=-1, single=-1),
    "IOE": Scheme(2, begin=-1, inside=0, end=1, single=-1),
    "IOBES": Scheme(4, begin=0, inside=1, end=2, single=3),
    "plain": Scheme(1, begin=-1, inside=-1, end=-1, single=-1),
}


@op(
    "Precision Recall F1_Score NumInferChunks NumLabelChunks NumCorrectChunks",
    lod=None,
    dtypes={"Inference": INDICES, "Label": INDICES},
    nograd="*",
    rename={"F1_Score": "F1-Score"},
)
def chunk_eval(
    Inference: Tensor,
    Inference_lod: LoD | None,
    Label: Tensor,
    SeqLength: Tensor | None = None,
    *,
    num_chunk_types: int,
    chunk_scheme: str = "IOB",
    excluded_chunk_types: list[int] = [],
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Three float32 [1] and three int64 [1]. Tag t of chunk type c is c * tags + t; the next number is "outside".

    The sequences are LoDTensors [total length, 1], or padded [N, longest] with their lengths [N].
    """
    if chunk_scheme not in SCHEMES:
        raise ArgumentError(f"chunk_scheme must be one of {', '.join(SCHEMES)}, got {chunk_scheme!r}")
    same_shape(Inference, Label, "Inference Label")
    scheme = SCHEMES[chunk_scheme]
    if Inference.is_meta:
        scores = [Inference.new_empty(1, dtype=torch.float32) for _ in range(3)]
        return (*scores, *(Inference.new_empty(1, dtype=torch.int64) for _ in range(3)))  # type: ignore[return-value]
    if SeqLength is None:
        lod = need_lod(Inference_lod, Inference.shape[0], "Inference")
        inference, label = Inference.reshape(-1), Label.reshape(-1)
    else:
        padded = Inference.reshape(SeqLength.numel(), -1)
        column = torch.arange(padded.shape[1], device=padded.device).expand(padded.shape)
        kept = column < SeqLength.reshape(-1, 1)
        lod, inference, label = (
            LoD.from_lengths([kept.sum(1).tolist()]),
            padded[kept],
            Label.reshape(padded.shape)[kept],
        )
    tags = num_chunk_types * scheme.tags + 1
    inference, _ = class_index(inference, tags, of="the tagging", name="Inference")
    label, _ = class_index(label, tags, of="the tagging", name="Label")
    inferred, labelled, correct = _counts(inference, label, lod, scheme, num_chunk_types, excluded_chunk_types)
    precision = correct / inferred if inferred else 0.0
    recall = correct / labelled if labelled else 0.0
    f1 = 2 * precision * recall / (precision + recall) if correct else 0.0
    scores = [torch.tensor([score], device=Label.device) for score in (precision, recall, f1)]
    counts = [torch.tensor([count], device=Label.device) for count in (inferred, labelled, correct)]
    return (*scores, *counts)  # type: ignore[return-value]  # six of them


def _counts(inference: Tensor, label: Tensor, lod: LoD, scheme: Scheme, types: int, excluded: list[int]) -> list[int]:
    """How many chunks are inferred, how many labelled, and how many are both."""
    if inference.device.type == "cpu" and native.available():
        counts = torch.empty(3, dtype=torch.int64)
        left_out = torch.zeros(types, dtype=torch.bool)
        left_out[[kind for kind in excluded if 0 <= kind < types]] = True
        native.call(
            "count_chunks", inference.contiguous(), label.contiguous(), lod.offsets_tensor(), lod.count(), types,
            scheme.tags, scheme.begin, scheme.end, scheme.single, left_out, counts,
        )  # fmt: skip
        return counts.tolist()
    first = positions(lod, inference.device) == 0
    inferred, labelled = (_chunks(tags, first, scheme, types, excluded) for tags in (inference, label))
    return [len(inferred), len(labelled), len(inferred & labelled)]


def _chunks(
    labels: Tensor, first: Tensor, scheme: Scheme, types: int, excluded: list[int]
) -> set[tuple[int, int, int]]:
    """(start, end, type) of every chunk; `first` marks the beginnings of sequences."""
    kind, tag = labels // scheme.tags, labels % scheme.tags
    before_kind, before_tag = kind.roll(1).masked_fill(first, types), tag.roll(1)
    # A chunk goes on if the type is the same, the tag before does not end one and this tag does not begin one.
    closed = (before_tag == scheme.end) | (before_tag == scheme.single)
    opens = (tag == scheme.begin) | (tag == scheme.single)
    goes_on = (kind == before_kind) & ~closed & ~opens
    inside = kind != types
    starts = inside & ~goes_on
    # The chunk of every element is the last that started; its end is its last element.
    chunk = starts.cumsum(0)[inside] - 1
    ends = torch.zeros(int(starts.sum()), dtype=torch.int64, device=labels.device)
    ends.scatter_reduce_(0, chunk, inside.nonzero().squeeze(1), "amax")
    rows = zip(starts.nonzero().squeeze(1).tolist(), ends.tolist(), kind[starts].tolist(), strict=True)
    return {row for row in rows if row[2] not in excluded}
