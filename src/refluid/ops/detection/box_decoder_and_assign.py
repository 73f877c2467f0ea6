"""box_decoder_and_assign: the boxes of every class, and the box of the most probable one."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import centered, need_boxes
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "DecodeBox OutputAssignBox",
    nograd="*",
    lod="PriorBox",
    dtypes={"PriorBox": FLOATS, "TargetBox": FLOATS},
    late="PriorBox PriorBoxVar TargetBox BoxScore",
)
def box_decoder_and_assign(
    PriorBox: Tensor, PriorBoxVar: Tensor | None, TargetBox: Tensor, BoxScore: Tensor, *, box_clip: float = 4.135
) -> tuple[Tensor, Tensor]:
    """DecodeBox [N, classes * 4]: TargetBox of that shape, offsets from PriorBox [N, 4], decoded.

    OutputAssignBox [N, 4] is the one of the class with the highest BoxScore [N, classes], 0 (the background) apart; the
    prior box itself if there is no other class. No side grows by more than exp(box_clip).
    """
    need_boxes("PriorBox", PriorBox)
    count, classes = len(PriorBox), BoxScore.shape[-1]
    if TargetBox.shape != (count, classes * 4) or BoxScore.shape != (count, classes):
        raise ShapeError(
            f"TargetBox must be [{count}, classes * 4] and BoxScore [{count}, classes], got shapes "
            f"{list(TargetBox.shape)} and {list(BoxScore.shape)}"
        )
    prior_center, size = (one[:, None] for one in centered(PriorBox, normalized=False))
    scaled = TargetBox.reshape(count, classes, 4) * (1.0 if PriorBoxVar is None else PriorBoxVar.reshape(-1)[:4])
    half = scaled[..., 2:].clamp_max(box_clip).exp() * size / 2
    center = scaled[..., :2] * size + prior_center
    boxes = torch.cat([center - half, center + half - 1], -1)
    if classes == 1:
        return boxes.reshape(TargetBox.shape), PriorBox.clone()
    which = BoxScore[:, 1:].argmax(1) + 1
    assigned = boxes.gather(1, which[:, None, None].expand(-1, 1, 4)).squeeze(1)
    # Fluid: scores of -1 or less are ignored, and leave the prior box as it is.
    return boxes.reshape(TargetBox.shape), torch.where(BoxScore[:, 1:].amax(1, True) > -1, assigned, PriorBox)
