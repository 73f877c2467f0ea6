"""Ordinary operators at their edges: hopeless classes, labels that are too long, empty sequences, several heads."""

import numpy as np

from .table import case, floats, lod, longs


def count(*shape, step=0.25):
    """..., -0.25, 0, 0.25, ... in an order that is not monotonic along any axis."""
    numbers = np.arange(int(np.prod(shape)))
    return ((numbers * 7 % 11 - 5) * step).reshape(shape).astype("float32")


# Fluid's kernels for CPUs take no logit for more than 64 below the largest.
HOPELESS = floats([0.0, -90.0, -200.0], [0.0, 0.0, -100.0])
case("softmax", {"X": HOPELESS})
case("softmax_with_cross_entropy", {"Logits": HOPELESS, "Label": longs([2], [2])}, outs="Loss Softmax", grad="Logits")

TOO_LONG = {"Logits": lod(count(7, 4), [3, 4]), "Label": lod(np.array([[1], [2], [1], [2], [3]], "int32"), [4, 1])}
case("warpctc", TOO_LONG, outs="Loss", grad="Logits")
REPEATED = {"Logits": lod(count(3, 4), [3]), "Label": lod(np.array([[1], [1], [1]], "int32"), [3])}
case("warpctc", REPEATED, outs="Loss", grad="Logits")
PADDED = {"Logits": count(3, 2, 4), "Label": np.array([[1, 2, 1, 2], [1, 0, 0, 0]], "int32")}
PADDED.update(LogitsLength=longs(3, 2), LabelLength=longs(4, 1))
case("warpctc", PADDED, outs="Loss", grad="Logits")

case("sequence_unpad", {"X": count(2, 3), "Length": longs(2, 1)}, grad="X")
case("sequence_unpad", {"X": count(2, 3), "Length": longs(2, 0)})
for offsets in ([[0, 2, 6]], [[0], [2], [6]], [[0, 2], [4, 6]]):
    case("lod_reset", {"X": count(6, 2), "Y": np.array(offsets, "int32")}, grad="X")
parts = {"X": lod(count(5, 2), [3, 0, 2]), "Offset": longs([0], [0], [2]), "Length": longs([2], [0], [0])}
case("sequence_slice", parts, grad="X")
for sizes in ([[3, 3], [2, 3], [1, 1]], [[2, 2], [2, 2], [2, 2], [2, 2]]):
    attrs = {"kernels": [2, 2], "strides": [1, 1], "paddings": [0, 0, 0, 0], "out_stride": [1, 1]}
    case("im2sequence", {"X": count(2, 1, 3, 3), "Y": np.array(sizes, "float32")}, attrs)

# Gradients are not recorded: 1.8.5 takes them for those of one head.
for x, y in (((2, 4), (4, 3)), ((3, 2, 4), (3, 4, 6)), ((3, 2, 4), (4, 6)), ((2, 2, 4), (2, 2, 6)), ((2, 4), (2, 6))):
    case("matmul", {"X": count(*x), "Y": count(*y)}, {"head_number": 2})
turned = {"X": count(1, 4, 2), "Y": count(1, 3, 4)}
case("matmul", turned, {"head_number": 2, "transpose_X": True, "transpose_Y": True, "alpha": 0.5})

# A cascade puts the true boxes before the proposals, on their own scale.
PROPOSALS = floats([0, 0, 10, 10], [5, 5, 20, 20], [30, 30, 60, 60], [2, 2, 40, 40])
proposed = {
    "RpnRois": lod(PROPOSALS, [4]),
    "GtClasses": lod(np.array([[1], [2]], "int32"), [2]),
    "IsCrowd": lod(np.zeros((2, 1), "int32"), [2]),
    "GtBoxes": lod(floats([0, 0, 12, 12], [28, 28, 62, 62]), [2]),
    "ImInfo": floats([80, 80, 2]),
}
attrs = {"batch_size_per_im": 8, "fg_fraction": 0.5, "fg_thresh": 0.5, "bg_thresh_hi": 0.5, "bg_thresh_lo": 0.0}
attrs.update(bbox_reg_weights=[0.1, 0.1, 0.2, 0.2], class_nums=3, use_random=False, is_cascade_rcnn=True)
found = "Rois LabelsInt32 BboxTargets BboxInsideWeights BboxOutsideWeights"
case("generate_proposal_labels", proposed, attrs, outs=found)

BOXES = floats([0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1e-4, 1e-4], [1, 1, 0, 0])
case("iou_similarity", {"X": BOXES, "Y": BOXES})
case("equal_reduce", {"X": floats([1, 2], [1, 2]), "Y": floats([1, 2])})
case("equal_reduce", {"X": floats([1, 2], [1, 3]), "Y": floats([1, 2])})
