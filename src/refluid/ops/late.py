"""Input slots that Fluid's layer functions do not look at while a program is built.

A program with another dtype in them is built there, and refused, if at all, when it runs. tests/calls has the calls.
"""

from __future__ import annotations

LATE = {
    "accuracy": "Label",
    "addmm": "Input",
    "anchor_generator": "Input",
    "bilinear_interp": "X",
    "bilinear_tensor_product": "Y",
    "bipartite_match": "DistMat",
    "bmm": "X Y",
    "box_coder": "PriorBox PriorBoxVar TargetBox",
    "box_decoder_and_assign": "PriorBox PriorBoxVar TargetBox BoxScore",
    "bpr_loss": "Label",
    "center_loss": "Label",
    "collect_fpn_proposals": "MultiLevelRois MultiLevelScores",
    "cross": "X Y",
    "cumsum": "X",
    "data_norm": "X BatchSize BatchSum BatchSquareSum",
    "distribute_fpn_proposals": "FpnRois",
    "elementwise_floordiv": "X Y",
    "erf": "X",
    "expand": "expand_times_tensor ExpandTimes",
    "filter_by_instag": "Filter_tag Ins Ins_tag",
    "gather": "Index",
    "gather_nd": "Index",
    "gelu": "X",
    "generate_mask_labels": "GtClasses IsCrowd LabelsInt32 Rois",
    "iou_similarity": "X Y",
    "margin_rank_loss": "X1 X2",
    "nearest_interp": "X",
    "one_hot_v2": "X",
    "pad2d": "Paddings",
    "pool2d": "X",
    "pool3d": "X",
    "prroi_pool": "ROIs X",
    "psroi_pool": "ROIs X",
    "reduce_max": "X",
    "reduce_min": "X",
    "reduce_prod": "X",
    "reshape2": "Shape ShapeTensor",
    "roi_pool": "ROIs X",
    "sample_logits": "Logits Labels",
    "sampling_id": "X",
    "scatter": "Ids",
    "scatter_nd_add": "Index",
    "sequence_mask": "X MaxLenTensor",
    "sigmoid_cross_entropy_with_logits": "Label",
    "slice": "StartsTensorList EndsTensorList",
    "softmax_with_cross_entropy": "Logits",
    "target_assign": "MatchIndices",
    "tree_conv": "EdgeSet",
    "trilinear_interp": "X",
    "yolo_box": "ImgSize X",
    "yolov3_loss": "GTLabel X",
}


def is_late(op_type: str, slot: str) -> bool:
    return slot in LATE.get(op_type, "").split()
