"""Detection: matching, coding, suppressing and generating boxes."""

import numpy as np

from cases.table import case, floats, ints, lod, longs, rand, spread


def boxes(*shape, size=1.0):
    """Boxes (left, top, right, bottom) within `size`."""
    corners = rand(*shape, 2, 2, low=0.0, high=size).astype("float64")
    corners.sort(-2)
    return np.round(corners.reshape(shape + (4,)), 3).astype("float32")


def ranks(*shape):
    """Distinct numbers between 0 and 1."""
    values = spread(*shape, step=1 / np.prod(shape))
    return np.round(values + 0.5, 3).astype("float32")


# -- single shots

prior, truth = boxes(6), boxes(5)
prior[2] = truth[1] + 0.01
case("iou_similarity", {"X": lod(truth, [3, 2]), "Y": prior})
case("iou_similarity", {"X": boxes(3, size=8), "Y": boxes(4, size=8)}, {"box_normalized": False})

wide = prior + floats([0, 0, 0.2, 0.2])
spreads = rand(6, 4, low=0.1, high=0.5)
for normalized in (True, False):
    coded = {"code_type": "encode_center_size", "box_normalized": normalized}
    target = lod(truth + floats([0, 0, 0.1, 0.1]), [3, 2])
    case("box_coder", {"PriorBox": wide, "PriorBoxVar": spreads, "TargetBox": target}, coded, "OutputBox")
    coded = {"code_type": "decode_center_size", "box_normalized": normalized}
    case("box_coder", {"PriorBox": wide, "PriorBoxVar": spreads, "TargetBox": rand(2, 6, 4)}, coded, "OutputBox")
numbers = {"code_type": "decode_center_size", "variance": [0.1, 0.1, 0.2, 0.2]}
case("box_coder", {"PriorBox": lod(wide, [2, 4]), "TargetBox": rand(6, 2, 4)}, dict(numbers, axis=1), "OutputBox")
case("box_coder", {"PriorBox": wide, "TargetBox": rand(3, 6, 4)}, {"code_type": "decode_center_size"}, "OutputBox")

similar = np.abs(spread(5, 4, step=0.05))
for match in ({}, {"match_type": "per_prediction", "dist_threshold": 0.2}):
    case("bipartite_match", {"DistMat": lod(similar, [3, 2])}, match, "ColToRowMatchIndices ColToRowMatchDist")
case("bipartite_match", {"DistMat": floats([0, 0.5], [0, 0.4])}, {}, "ColToRowMatchIndices ColToRowMatchDist")

matches = np.array([[0, -1, 2, 1], [-1, 1, 0, -1]], "int32")
labels = lod(ints(5, 1, 1, low=1, high=9, dtype="int32"), [3, 2])
negative = lod(np.array([[1], [0], [3]], "int32"), [1, 2])
case("target_assign", {"X": labels, "MatchIndices": matches}, {"mismatch_value": 7}, "Out OutWeight")
case("target_assign", {"X": labels, "MatchIndices": matches, "NegIndices": negative}, {}, "Out OutWeight")
case("target_assign", {"X": lod(rand(5, 4, 4), [3, 2]), "MatchIndices": matches}, {}, "Out OutWeight")

mined = {"ClsLoss": spread(2, 6, step=0.1), "MatchDist": rand(2, 6, low=0, high=1)}
mined["MatchIndices"] = np.array([[0, -1, -1, 1, -1, -1], [-1, 2, -1, -1, -1, -1]], "int32")
found = "NegIndices UpdatedMatchIndices"
case("mine_hard_examples", mined, {"neg_pos_ratio": 1.5, "neg_dist_threshold": 0.9}, found)
hard = {"mining_type": "hard_example", "sample_size": 3}
case("mine_hard_examples", dict(mined, LocLoss=spread(2, 6, step=0.1)), hard, found)

# -- suppression

scores = np.round(np.abs(spread(2, 3, 6, step=0.05)) % 1, 3)
crowd = np.round(boxes(2, 6) * 0.3 + floats([0, 0, 0.5, 0.5]), 3)
kept = {"score_threshold": 0.05, "nms_top_k": -1, "keep_top_k": -1, "nms_threshold": 0.7}
for more in (
    {},
    {"background_label": -1, "nms_top_k": 4, "keep_top_k": 5},
    {"normalized": False, "nms_threshold": 0.97},
    {"nms_threshold": 0.9, "nms_eta": 0.8},
    {"score_threshold": 2.0},
):
    case("multiclass_nms", {"BBoxes": crowd, "Scores": scores}, dict(kept, **more))
    case("multiclass_nms2", {"BBoxes": crowd, "Scores": scores}, dict(kept, **more), "Out Index")
by_class = {"BBoxes": lod(boxes(6, 3), [4, 2]), "Scores": lod(np.abs(spread(6, 3, step=0.05)), [4, 2])}
for more in ({}, {"keep_top_k": 4}):
    case("multiclass_nms", by_class, dict(kept, nms_threshold=0.3, **more))
    case("multiclass_nms2", by_class, dict(kept, nms_threshold=0.3, **more), "Out Index")
quads = floats([0, 0, 4, 0, 4, 4, 0, 4], [1, 1, 5, 1, 5, 5, 1, 5], [0, 2, 2, 0, 4, 2, 2, 4], [8, 8, 9, 8, 9, 9, 8, 9])
case("multiclass_nms", {"BBoxes": quads[None], "Scores": floats([[0.9, 0.8, 0.7, 0.6]])},
     dict(kept, nms_threshold=0.38, background_label=-1))  # fmt: skip

for clipped in (lod(rand(5, 4, low=-3, high=12), [3, 2]), lod(rand(2, 2, 4, low=-3, high=12), [1, 1])):
    case("box_clip", {"Input": clipped, "ImInfo": floats([8, 10, 1.0], [9, 6, 1.5])}, {}, "Output")

# -- YOLO

head = rand(2, 14, 3, 3)
sized = np.array([[40, 60], [32, 96]], "int32")
yolo = {"class_num": 2, "anchors": [10, 13, 16, 30], "downsample_ratio": 8, "conf_thresh": 0.4}
for more in ({}, {"clip_bbox": False, "scale_x_y": 1.2}):
    case("yolo_box", {"X": head, "ImgSize": sized}, dict(yolo, **more), "Boxes Scores")
case("yolo_box", {"X": rand(1, 14, 2, 3), "ImgSize": sized[:1]}, yolo, "Boxes Scores")

there = rand(2, 4, 4, low=0.1, high=0.9)
there[1, 3] = 0
drawn = {"X": head, "GTBox": there, "GTLabel": ints(2, 4, high=2, dtype="int32")}
loss = {"class_num": 2, "anchors": [10, 13, 16, 30, 33, 23], "anchor_mask": [1, 2], "downsample_ratio": 8,
        "ignore_thresh": 0.3}  # fmt: skip
outs = "Loss ObjectnessMask GTMatchMask"
case("yolov3_loss", drawn, loss, outs, "X")
case("yolov3_loss", dict(drawn, GTScore=rand(2, 4, low=0.2, high=1)), dict(loss, use_label_smooth=False, scale_x_y=1.1),
     outs, "X")  # fmt: skip

# -- regions of interest

maps = rand(2, 3, 5, 6)
corners = floats([0, 0, 7, 7], [3, 1, 9, 4.5], [-2, 3, 5, 12], [6, 6, 2, 2])
regions = lod(corners, [3, 1])
pooled = {"spatial_scale": 0.5, "pooled_height": 2, "pooled_width": 3}
peaks = spread(2, 3, 5, 6, step=0.02)
case("roi_pool", {"X": peaks, "ROIs": regions}, pooled, "Out Argmax", "X")
case("roi_pool", {"X": peaks, "ROIs": corners, "RoisLod": longs(0, 1, 4)}, pooled, "Out Argmax", "X")
for ratio in (2, -1):
    case("roi_align", {"X": maps, "ROIs": regions}, dict(pooled, sampling_ratio=ratio), "Out", "X")
case("roi_align", {"X": maps, "ROIs": corners, "RoisLod": longs(0, 1, 4)}, pooled, "Out", "X")
case("psroi_pool", {"X": rand(2, 12, 5, 6), "ROIs": regions}, dict(pooled, output_channels=2), "Out", "X")
case("prroi_pool", {"X": maps, "ROIs": lod(corners[:3], [2, 1])}, pooled, "Out", "X ROIs")
case("prroi_pool", {"X": maps, "ROIs": corners[:3], "BatchRoINums": longs(1, 2)}, pooled, "Out", "X ROIs")

# -- proposals

sized = {"anchor_sizes": [32.0, 50.0], "aspect_ratios": [0.5, 1.0, 2.0], "variances": [0.1, 0.1, 0.2, 0.2]}
case("anchor_generator", {"Input": rand(1, 2, 2, 3)}, dict(sized, stride=[16.0, 16.0]), "Anchors Variances")
case("anchor_generator", {"Input": rand(1, 2, 2, 3)}, dict(sized, stride=[8.0, 12.0], offset=0.3), "Anchors Variances")
dense = {"variances": [0.1, 0.1, 0.2, 0.2], "fixed_sizes": [4.0, 7.0], "fixed_ratios": [1.0, 2.0], "densities": [2, 1]}
pair = {"Input": rand(1, 2, 2, 3), "Image": rand(1, 3, 16, 20)}
for more in ({"clip": False}, {"flatten_to_2d": True}, {"clip": False, "step_w": 5.0, "step_h": 7.0, "offset": 0.3}):
    case("density_prior_box", pair, dict(dense, **more), "Boxes Variances")
case("polygon_box_transform", {"Input": rand(2, 4, 2, 3)}, {}, "Output")
decoded = {"PriorBox": boxes(3, size=20), "PriorBoxVar": floats(0.1, 0.1, 0.2, 0.2), "TargetBox": rand(3, 12, high=9.0)}
decoded["BoxScore"] = spread(3, 3, step=0.1)
case("box_decoder_and_assign", decoded, {"box_clip": 1.3}, "DecodeBox OutputAssignBox")

lots = {"Scores": ranks(2, 2, 2, 3), "BboxDeltas": rand(2, 8, 2, 3)}
lots["ImInfo"] = floats([30, 40, 1.0], [24, 28, 2.0])
lots["Anchors"] = boxes(2, 3, 2, size=30)
lots["Variances"] = np.full((2, 3, 2, 4), 0.3, "float32")
rois = "RpnRois RpnRoiProbs RpnRoisLod"
given = {"pre_nms_topN": 6000, "post_nms_topN": 1000, "nms_thresh": 0.4, "min_size": 3.0, "eta": 1.0}
for more in ({}, {"min_size": 4.0, "pre_nms_topN": 11, "post_nms_topN": 3}, {"nms_thresh": 0.9, "eta": 0.7}):
    case("generate_proposals", lots, dict(given, **more), rois)
spans = {"min_level": 2, "max_level": 4, "refer_level": 3, "refer_scale": 12}
case("distribute_fpn_proposals", {"FpnRois": lod(boxes(9, size=60), [5, 4])}, spans, "MultiFpnRois*3 RestoreIndex")
levels = {"MultiLevelRois": [lod(boxes(4, size=9), [1, 3]), lod(boxes(3, size=9), [2, 1])]}
ranked = ranks(7, 1)
levels["MultiLevelScores"] = [lod(ranked[:4], [1, 3]), lod(ranked[4:], [2, 1])]
for top in (5, 20):
    case("collect_fpn_proposals", levels, {"post_nms_topN": top}, "FpnRois")

# -- targets

truth = np.round(boxes(5, size=30) + floats([0, 0, 6, 6]), 2)
near = np.concatenate([truth + rand(5, 4, low=-3, high=3), boxes(8, size=40), truth[:1] + floats([0, 1, 0, 0])])
near = np.round(near, 2).astype("float32")
crowd = np.array([[0], [0], [1], [0], [0]], "int32")
given = {"GtBoxes": lod(truth, [3, 2]), "IsCrowd": lod(crowd, [3, 2]), "ImInfo": floats([40, 40, 1], [38, 39, 1.2])}
first = {"use_random": False, "rpn_batch_size_per_im": 8, "rpn_positive_overlap": 0.6, "rpn_negative_overlap": 0.3,
         "rpn_straddle_thresh": 0.0, "rpn_fg_fraction": 0.5}  # fmt: skip
outs = "LocationIndex ScoreIndex TargetBBox TargetLabel BBoxInsideWeight"
for more in ({}, {"rpn_straddle_thresh": -1.0, "rpn_batch_size_per_im": 6}, {"rpn_negative_overlap": 0.59}):
    case("rpn_target_assign", dict(given, Anchor=near), dict(first, **more), outs)
classes = lod(np.array([[3], [1], [2], [1], [2]], "int32"), [3, 2])
for more in ({}, {"positive_overlap": 0.6, "negative_overlap": 0.55}):
    case("retinanet_target_assign", dict(given, Anchor=near, GtLabels=classes), more, outs + " ForegroundNumber")
given.update(RpnRois=lod(near, [6, 8]), GtClasses=classes)
first = {"use_random": False, "batch_size_per_im": 6, "fg_fraction": 0.4, "fg_thresh": 0.5, "bg_thresh_hi": 0.5,
         "bg_thresh_lo": 0.0, "bbox_reg_weights": [0.1, 0.1, 0.2, 0.2], "class_nums": 4}  # fmt: skip
outs = "Rois LabelsInt32 BboxTargets BboxInsideWeights BboxOutsideWeights"
for more in ({}, {"is_cls_agnostic": True, "class_nums": 2, "bg_thresh_lo": 0.05}):
    case("generate_proposal_labels", given, dict(first, **more), outs)
given["ImInfo"] = floats([40, 40, 1], [38, 39, 1])  # in a cascade Fluid forgets the scale for some of the regions
case("generate_proposal_labels", given, dict(first, is_cascade_rcnn=True, batch_size_per_im=20), outs)

# -- other suppressions

kept = {"score_threshold": 0.1, "post_threshold": 0.2, "nms_top_k": -1, "keep_top_k": -1}
heap = {"BBoxes": boxes(2, 6), "Scores": ranks(2, 3, 6)}
for more in (
    {},
    {"use_gaussian": True, "nms_top_k": 5, "keep_top_k": 6},
    {"normalized": False, "background_label": -1, "post_threshold": 0.0, "gaussian_sigma": 1.0},
):
    case("matrix_nms", heap, dict(kept, **more), "Out Index")

kept = {"score_threshold": 0.1, "nms_top_k": -1, "keep_top_k": -1, "nms_threshold": 0.4}
run = np.cumsum(rand(1, 6, 1, low=0.02, high=0.3), 1).astype("float32") + floats([0, 0, 0.5, 0.5])
run = np.round(run, 3)
for more in ({}, {"nms_top_k": 3, "keep_top_k": 2, "normalized": False, "nms_threshold": 0.8}):
    case("locality_aware_nms", {"BBoxes": run, "Scores": ranks(1, 1, 6)}, dict(kept, **more))
case(
    "locality_aware_nms",
    {"BBoxes": quads[None], "Scores": floats([[0.9, 0.8, 0.7, 0.6]])},
    dict(kept, nms_threshold=0.3),
)

net = {"BBoxes": [rand(2, 4, 4), rand(2, 3, 4)], "Scores": [ranks(2, 4, 2), ranks(2, 3, 2)]}
net.update(Anchors=[boxes(4, size=20), boxes(3, size=30)], ImInfo=floats([30, 40, 1.0], [24, 28, 2.0]))
for more in ({}, {"nms_top_k": 3, "keep_top_k": 4, "nms_threshold": 0.6, "nms_eta": 0.9}):
    given = {"score_threshold": 0.2, "nms_top_k": 100, "keep_top_k": 50, "nms_threshold": 0.3, "nms_eta": 1.0}
    case("retinanet_detection_output", net, dict(given, **more))

# -- more regions

shifts = {"no_trans": False, "spatial_scale": 0.5, "output_dim": 2, "group_size": [1, 1], "pooled_height": 2,
          "pooled_width": 2, "part_size": [2, 2], "sample_per_part": 2, "trans_std": 0.1}  # fmt: skip
spots = lod(corners[:3], [2, 1])
moved = {"Input": rand(2, 2, 5, 6), "ROIs": spots, "Trans": rand(3, 2, 2, 2)}
outs = "TopCount Output"
case("deformable_psroi_pooling", moved, shifts, outs, "Input Trans", "Output")
case("deformable_psroi_pooling", moved, dict(shifts, no_trans=True, sample_per_part=3), outs, "Input", "Output")
parted = {"Input": rand(2, 8, 5, 6), "ROIs": spots, "Trans": rand(3, 4, 3, 2)}
more = {"group_size": [2, 2], "part_size": [3, 2], "pooled_height": 3, "pooled_width": 2, "trans_std": 0.3}
case("deformable_psroi_pooling", parted, dict(shifts, **more), outs, "Input Trans", "Output")

slanted = floats([2, 1, 9, 3, 8, 9, 1, 7], [0, 0, 10, 0, 10, 6, 0, 6], [-4, 2, 5, -3, 14, 8, 3, 12])
seen = {"spatial_scale": 0.5, "transformed_height": 3, "transformed_width": 4}
case("roi_perspective_transform", {"X": maps, "ROIs": lod(slanted, [2, 1])}, seen, "Out Mask TransformMatrix", "X")

# -- precision

marked = [[1, 0.9, 0.1, 0.1, 0.4, 0.4], [1, 0.8, 0.12, 0.1, 0.4, 0.42], [2, 0.7, 0.5, 0.5, 0.9, 0.9],
          [1, 0.6, 0.6, 0.6, 0.8, 0.8], [2, 0.5, 0.1, 0.5, 0.5, 0.9], [3, 0.4, 0.0, 0.0, 1.2, 1.0]]  # fmt: skip
real = [[1, 0, 0.1, 0.1, 0.4, 0.4], [2, 1, 0.5, 0.5, 0.9, 0.9], [2, 0, 0.1, 0.6, 0.5, 0.9], [3, 0, 0, 0, 0.9, 0.9],
        [1, 0, 0.2, 0.7, 0.3, 0.8]]  # fmt: skip
judged = {"DetectRes": lod(floats(*marked), [3, 3]), "Label": lod(floats(*real), [2, 3])}
outs = "AccumPosCount AccumTruePos AccumFalsePos MAP"
for more in ({}, {"ap_type": "11point"}, {"evaluate_difficult": False}, {"background_label": 1}):
    case("detection_map", judged, dict({"class_num": 4, "overlap_threshold": 0.3}, **more), outs)
plain = {"DetectRes": judged["DetectRes"], "Label": lod(np.delete(floats(*real), 1, 1), [2, 3])}
before = {"HasState": np.array([1], "int32"), "PosCount": np.array([[0], [2], [1], [0]], "int32")}
before["TruePos"] = lod(floats([0.95, 1], [0.3, 0], [0.85, 1]), [0, 2, 1, 0])
before["FalsePos"] = lod(floats([0.95, 0], [0.3, 1], [0.85, 0]), [0, 2, 1, 0])
case("detection_map", dict(plain, **before), {"class_num": 4}, outs)

# -- masks

outline = np.round(boxes(6, 3, size=30).reshape(-1, 2), 1)  # six polygons of six corners, as they come
outline[:6] = floats([2, 2], [14, 3], [20, 12], [12, 20], [3, 16], [1, 9])
polygons = lod(outline, [2, 2], [2, 1, 1, 2], [6, 6, 6, 6, 6, 6])
spots = lod(floats([1, 1, 22, 21], [5, 4, 18, 24], [0, 0, 30, 30], [3, 2, 25, 17], [9, 9, 12, 12]), [3, 2])
pictured = {"ImInfo": floats([40, 40, 1], [38, 39, 1.2]), "GtSegms": polygons, "Rois": spots}
pictured["GtClasses"] = lod(np.array([[2], [1], [1], [2]], "int32"), [2, 2])
pictured["IsCrowd"] = lod(np.array([[0], [0], [1], [0]], "int32"), [2, 2])
for labels in ([2, 0, 1, 2, 0], [1, 2, 1, 0, 0]):
    pictured["LabelsInt32"] = lod(np.array(labels, "int32").reshape(-1, 1), [3, 2])
    case("generate_mask_labels", dict(pictured), {"num_classes": 3, "resolution": 6},
         "MaskRois RoiHasMaskInt32 MaskInt32")  # fmt: skip
