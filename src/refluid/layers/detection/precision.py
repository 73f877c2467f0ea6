"""The mean average precision of detections."""

from __future__ import annotations

from typing import Any

from refluid.core.naming import LayerName
from refluid.ops.metric.detection_map import detection_map as detection_map_op


def detection_map(
    detect_res: Any,
    label: Any,
    class_num: int,
    background_label: int = 0,
    overlap_threshold: float = 0.3,
    evaluate_difficult: bool = True,
    has_state: Any = None,
    input_states: Any = None,
    out_states: Any = None,
    ap_version: str = "integral",
) -> Any:
    """The mean over classes of the average precision.

    Args:
        detect_res: [M, 6]: class, score and box, with a LoD by image.
        label: [N, 6]: class, whether it is difficult, and box; or [N, 5] without the second; with a LoD by image.
        class_num: with the background.
        background_label: the class of nothing.
        overlap_threshold: what a detection must overlap a box by to have found it.
        evaluate_difficult: whether difficult boxes count.
        has_state: int32 [1], not 0 if there were batches before.
        input_states, out_states: three variables each, the counts of earlier batches, and of all.
        ap_version: "integral" or "11point".
    Returns:
        [1].
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
