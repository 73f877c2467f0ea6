"""ctc_align: the labels that a CTC path spells."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod, positions, segment_sum


@op("Output OutputLength", dispensable="OutputLength", dtypes={"Input": INDICES}, nograd="*")
def ctc_align(
    Input: Tensor,
    Input_lod: LoD | None,
    InputLength: Tensor | None = None,
    *,
    blank: int = 0,
    merge_repeated: bool = True,
    padding_value: int = 0,
) -> tuple[Tensor, Tensor | None]:
    """Each sequence without blanks and, with merge_repeated, without repeats of the label before.

    Input is a LoDTensor [rows, 1], and so is Output ([[-1]] if nothing is left at all); or [N, length] with
    InputLength [N, 1], then Output is padded with padding_value, and OutputLength [N, 1] are the lengths.
    """
    if InputLength is None:
        lod = need_lod(Input_lod, Input.shape[0], "Input", levels=1)
        labels = Input.reshape(-1)
        kept = labels[_kept(labels, positions(lod, Input.device) == 0, blank, merge_repeated)]
        return (kept if len(kept) else labels.new_full((1,), -1)).reshape(-1, 1), None
    if Input.dim() != 2 or InputLength.numel() != len(Input):
        raise ShapeError(
            f"with InputLength [N, 1] Input must be [N, length], got {list(InputLength.shape)}, {list(Input.shape)}"
        )
    places = torch.arange(Input.shape[1], device=Input.device)
    first = (places == 0).expand(Input.shape)
    keep = _kept(Input, first, blank, merge_repeated) & (places < InputLength.reshape(-1, 1))
    order = torch.sort(keep.to(torch.int8), dim=1, descending=True, stable=True).indices
    count = keep.sum(1, keepdim=True)
    return Input.gather(1, order).masked_fill(places >= count, padding_value), count


@ctc_align.lods
def ctc_align_lods(ins: list, values: list, attrs: dict) -> list:
    if values[1] is not None or ins[0] is None:
        return [None, None]
    lod, labels = ins[0], values[0].reshape(-1)
    keep = _kept(labels, positions(lod, labels.device) == 0, attrs["blank"], attrs["merge_repeated"])
    return [LoD.from_lengths([segment_sum(keep.float(), lod).long().tolist()]), None]


@ctc_align.infer
def ctc_align_shape(inputs: list, attrs: dict) -> list:
    if inputs[1] is None:
        return [inputs[0]._replace(shape=(-1, 1)), None]
    return [inputs[0], Spec((inputs[0].shape[0], 1), torch.int64)]


def _kept(labels: Tensor, first: Tensor, blank: int, merge: bool) -> Tensor:
    """Which labels are kept; `first` marks the first label of each sequence."""
    keep = labels != blank
    if merge:
        keep &= (labels != torch.roll(labels, 1, -1)) | first
    return keep
