"""Functions of fluid.layers for detection, metrics and learning rates, and calls with wrong arguments."""

from call_variants import F, I, J, Plain, Variants

from calls.table import Table

calls = Table()
call = Variants(calls, "layers_detection")
L1 = [[2, 1]]  # two sequences
R4 = [[0, 0, 2, 2], [1, 1, 3, 3]]  # regions of an image

call("L.prior_box", F(1, 2, 3, 3), F(1, 3, 9, 9), [2.0], [5.0], [1.0, 2.0], flip=True)
call("L.density_prior_box", F(1, 2, 3, 3), F(1, 3, 9, 9), [2], [4.0], [1.0])
call("L.bipartite_match", F(3, 4, lod=L1))
call("L.target_assign", F(3, 4, 1, lod=L1), J(2, 4, data=[0, 1, -1, 0, 0, -1, -1, 0]), mismatch_value=0)
call(
    "L.multi_box_head",
    [F(1, 2, 3, 3), F(1, 2, 2, 2)],
    F(1, 3, 9, 9),
    9,
    3,
    [[2.0], [2.0]],
    min_sizes=[2.0, 4.0],
    max_sizes=[4.0, 6.0],
)
PB = [[0.1, 0.1, 0.4, 0.4], [0.3, 0.3, 0.8, 0.8]]
PV = [[0.1, 0.1, 0.2, 0.2]] * 2
call("L.detection_output", F(1, 2, 4), F(1, 2, 3), F(2, 4, known=True, data=PB), F(2, 4, known=True, data=PV))
call(
    "L.ssd_loss",
    F(1, 2, 4),
    F(1, 2, 3),
    F(1, 4, lod=[[1]], data=[0.1, 0.1, 0.5, 0.5]),
    I(1, 1, lod=[[1]], data=[1]),
    F(2, 4, known=True, data=PB),
    F(2, 4, known=True, data=PV),
)
AN = [[0, 0, 4, 4], [2, 2, 6, 6], [4, 4, 8, 8]]
call(
    "L.rpn_target_assign",
    F(1, 3, 4),
    F(1, 3, 1),
    F(3, 4, known=True, data=AN),
    F(3, 4, known=True),
    F(1, 4, lod=[[1]], data=[1, 1, 5, 5]),
    J(1, 1, lod=[[1]], data=[0]),
    F(1, 3, data=[9, 9, 1]),
    use_random=Plain("False"),
)
call(
    "L.retinanet_target_assign",
    F(1, 3, 4),
    F(1, 3, 2),
    F(3, 4, known=True, data=AN),
    F(3, 4, known=True),
    F(1, 4, lod=[[1]], data=[1, 1, 5, 5]),
    J(1, 1, lod=[[1]], data=[1]),
    J(1, 1, lod=[[1]], data=[0]),
    F(1, 3, data=[9, 9, 1]),
    2,
)
call("L.sigmoid_focal_loss", F(2, 3), J(2, 1), J(1, known=True, data=[1]))
call("L.anchor_generator", F(1, 2, 3, 3), [32.0], [1.0], stride=[16.0, 16.0])
call("L.roi_perspective_transform", F(1, 1, 5, 5), F(1, 8, lod=[[1]], data=[0, 0, 3, 0, 3, 3, 0, 3]), 3, 3)
call(
    "L.generate_proposal_labels",
    F(3, 4, lod=[[3]], data=AN),
    J(1, 1, lod=[[1]], data=[1]),
    J(1, 1, lod=[[1]], data=[0]),
    F(1, 4, lod=[[1]], data=[1, 1, 5, 5]),
    F(1, 3, data=[9, 9, 1]),
    4,
    class_nums=2,
    use_random=Plain("False"),
)
call(
    "L.generate_proposals",
    F(1, 1, 2, 2),
    F(1, 4, 2, 2),
    F(1, 3, data=[9, 9, 1]),
    F(2, 2, 1, 4, known=True, data=[0, 0, 4, 4] * 4),
    F(2, 2, 1, 4, known=True),
    4,
    2,
)
call(
    "L.generate_mask_labels",
    F(1, 3, data=[9, 9, 1]),
    J(1, 1, lod=[[1]], data=[1]),
    J(1, 1, lod=[[1]], data=[0]),
    F(4, 2, lod=[[1], [1], [4]], data=[0, 0, 4, 0, 4, 4, 0, 4]),
    F(1, 4, lod=[[1]], data=[0, 0, 4, 4]),
    J(1, 1, lod=[[1]], data=[1]),
    2,
    3,
)
call("L.iou_similarity", F(2, 4, data=PB), F(2, 4, data=PB, known=True))
call("L.box_coder", F(2, 4, data=PB, known=True), F(2, 4, data=PV, known=True), F(2, 4, data=PB))
call("L.box_coder", F(2, 4, data=PB, known=True), [0.1, 0.1, 0.2, 0.2], F(1, 2, 4), "decode_center_size")
call("L.polygon_box_transform", F(1, 8, 2, 2))
call(
    "L.yolov3_loss",
    F(1, 14, 2, 2),
    F(1, 1, 4, data=[0.3, 0.3, 0.2, 0.2]),
    J(1, 1, data=[1]),
    [4, 4, 8, 8],
    [0, 1],
    2,
    0.5,
    4,
)
call("L.yolo_box", F(1, 14, 2, 2), J(1, 2, data=[8, 8]), [4, 4, 8, 8], 2, 0.01, 4)
call("L.box_clip", F(2, 4, lod=[[2]], data=R4), F(1, 3, data=[2, 2, 1]))
call("L.multiclass_nms", F(1, 2, 4), F(1, 3, 2), 0.01, 4, 4)
call("L.locality_aware_nms", F(1, 2, 4), F(1, 1, 2), 0.01, 4, 4)
call("L.matrix_nms", F(1, 2, 4), F(1, 3, 2), 0.01, 0.0, 4, 4)
call(
    "L.retinanet_detection_output", [F(1, 3, 4)], [F(1, 3, 2)], [F(3, 4, known=True, data=AN)], F(1, 3, data=[9, 9, 1])
)
call("L.distribute_fpn_proposals", F(3, 4, lod=[[3]], data=AN), 2, 3, 2, 4)
call("L.box_decoder_and_assign", F(2, 4, data=R4), F(4, known=True), F(2, 8), F(2, 2), 4.1)
call(
    "L.collect_fpn_proposals",
    [F(3, 4, lod=[[3]], data=AN), F(3, 4, lod=[[3]], data=AN)],
    [F(3, 1, lod=[[3]]), F(3, 1, lod=[[3]])],
    2,
    3,
    2,
)
call("L.accuracy", F(3, 4), I(3, 1))
call("L.accuracy", F(3, 4), I(3, 1), k=2)
call("L.auc", F(3, 2), I(3, 1, top=2))
call("L.exponential_decay", 0.1, 10, 0.5)
call("L.natural_exp_decay", 0.1, 10, 0.5, True)
call("L.inverse_time_decay", 0.1, 10, 0.5)
call("L.polynomial_decay", 0.1, 10)
call("L.polynomial_decay", 0.1, 10, cycle=True)
call("L.piecewise_decay", [10, 20], [1.0, 0.5, 0.1])
call("L.noam_decay", 64, 100)
call("L.cosine_decay", 0.1, 10, 5)
call("L.linear_lr_warmup", 0.1, 10, 0.0, 0.1)
call("L.linear_lr_warmup", 0.1, 10, 0.2, 0.1)
