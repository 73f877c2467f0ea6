"""The mean average precision of detections."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.ops.metric.detection_map import detection_map as detection_map_op


def detection_map(
    detect_res: BaseVariable,
    label: BaseVariable,
    class_num: int,
    background_label: int = 0,
    overlap_threshold: float = 0.3,
    evaluate_difficult: bool = True,
    has_state: BaseVariable | None = None,
    input_states: Sequence[BaseVariable] | None = None,
    out_states: Sequence[BaseVariable] | None = None,
    ap_version: str = "integral",
) -> BaseVariable:
    """The mean average precision (mAP) of detections.

    Args:
        detect_res: a float LoDTensor [M, 6], a sequence per image: class, score and box.
        label: a float LoDTensor [N, 6], a sequence per image: class, difficult or not, and box; or [N, 5] without the
            second.
        class_num: the number of classes with the background.
        background_label: the class of the background.
        overlap_threshold: the IoU from which on a detection matches a box.
        evaluate_difficult: whether difficult boxes count.
        has_state: int32 [1], 0 for the first batch; None for no accumulation.
        input_states: three variables, the counts of earlier batches: int32 [class_num, 1] of boxes, float [n, 2] (score
            and 1 or 0) of true and of false positives; None for none.
        out_states: three variables of these dtypes and shapes, which take the counts of all batches; None for new ones.
        ap_version: "integral" or "11point".

    Returns:
        A float32 variable [1].
    """
    outs = None
    if out_states is not None:
        outs = dict(zip(("AccumPosCount", "AccumTruePos", "AccumFalsePos"), out_states, strict=True))
    states = [None] * 3 if input_states is None else list(input_states)
    return detection_map_op(
        detect_res, label, has_state, *states, outs=outs, name=LayerName("detection_map"), class_num=class_num,
        background_label=background_label, overlap_threshold=float(overlap_threshold),
        evaluate_difficult=evaluate_difficult, ap_type=ap_version,
    )[3]  # fmt: skip
