"""sequence_concat: join several tensors sequence by sequence."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod


@op("Out")
def sequence_concat(X: list[Tensor], X_lod: list[LoD]) -> Tensor:
    """Sequence i of Out is sequence i of every X, one after the other."""
    _check([x.shape for x in X])
    lods = [need_lod(lod, x.shape[0], levels=1) for x, lod in zip(X, X_lod, strict=True)]
    counts = {lod.count() for lod in lods}
    if len(counts) > 1:
        raise ShapeError(f"all X must have the same number of sequences, got {[lod.count() for lod in lods]}")
    sequence = torch.cat([lod.segment_ids(device=X[0].device) for lod in lods])
    return torch.cat(X).index_select(0, sequence.argsort(stable=True))


@sequence_concat.infer
def sequence_concat_shape(inputs: list, attrs: dict) -> list:
    parts: list[Spec] = inputs[0]
    _check([part.shape for part in parts])
    rows = [part.shape[0] for part in parts]
    return [Spec((-1 if min(rows) < 0 else sum(rows), *parts[0].shape[1:]), parts[0].dtype, 1)]


@sequence_concat.lods
def sequence_concat_lods(ins: list, values: list, attrs: dict) -> list:
    if any(lod is None for lod in ins[0]):
        return [None]  # the kernel refuses it
    return [LoD.from_lengths([[sum(lengths) for lengths in zip(*(lod.lengths()[0] for lod in ins[0]), strict=True)]])]


def _check(shapes: list) -> None:
    if len(shapes) < 2:
        raise ShapeError(f"X must be at least two tensors, got {len(shapes)}")
    if any(shape[1:] != shapes[0][1:] for shape in shapes):
        raise ShapeError(f"all X must have rows of one shape, got {[list(shape) for shape in shapes]}")
