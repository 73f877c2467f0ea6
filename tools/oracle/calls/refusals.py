"""Calls that reach the refusals of operators and layers: 1.8.5 computes some of them, and refuses the others."""

from call_variants import explained

from calls.table import Table, floats, given, np

calls = Table()
static, imperative = calls.static, calls.imperative
F = floats


def N(*shape, **options):
    """Numbers whose sizes the program does not know, so that the operator meets them when it runs."""
    return floats(*shape, shape=[-1] * len(shape), **options)


# Activations
imperative("L.leaky_relu(x, -0.5)", x=F(3))
imperative("L.leaky_relu(x, -0.5)", x=F(3), grads=True)
static("L.leaky_relu(x, -0.5)", x=F(3), grads=True)
static("L.maxout(x, 1)", x=F(2, 4, 2, 2))
static("L.maxout(x, 3)", x=F(2, 4, 2, 2))
static("L.maxout(x, 2, axis=2)", x=F(2, 4, 2, 2))
static("L.maxout(x, 2)", x=F(2, 4))
static("L.prelu(x, 'channel')", x=F(4))
static("L.prelu(x, 'element')", x=F(4))
static("L.prelu(x, 'all')", x=F(4))
static("L.softmax(x, axis=2)", x=F(2, 3))
static("L.softmax(x, axis=-3)", x=F(2, 3))
static("L.mish(x, -1)", x=F(4))
static("L.mish(x, 0)", x=F(4))
static("L.soft_relu(x, -1.0)", x=F(4))
static("L.brelu(x, 2.0, -2.0)", x=F(4))
static("L.hard_sigmoid(x, -1.0)", x=F(4))
static("L.thresholded_relu(x, -1.0)", x=F(4))
static("L.softshrink(x, -1.0)", x=F(4))
static("L.hard_shrink(x, -1.0)", x=F(4))
static("L.swish(x, 0.0)", x=F(4))
static("L.stanh(x, 0.0, 0.0)", x=F(4))
static("L.elu(x, -1.0)", x=F(4))

# Arrays
static("L.array_read(L.array_write(x, i), j)", x=F(2), i=given([0]), j=given([1]))
static("L.array_read(L.array_write(x, i), j)", x=F(2), i=given([2]), j=given([1]))
static("L.array_read(L.array_write(x, i), j)", x=F(2), i=given([0]), j=given([-1]))
static("L.array_length(L.array_write(x, i))", x=F(2), i=given([-1]))
static("L.array_length(L.array_write(x, i))", x=F(2), i=given([0, 1]))
static("L.array_length(L.array_write(x, i))", x=F(2), i=given([[3]]))
static("L.tensor_array_to_tensor(L.array_write(x, i), axis=0)", x=F(2), i=given([1]))
static("L.tensor_array_to_tensor(L.array_write(x, i), axis=3)", x=F(2), i=given([0]))
static("L.tensor_array_to_tensor(L.create_array('float32'))")
imperative("L.array_write(x, i)", x=F(2), i=given([1]))
imperative("L.array_read(L.array_write(x, i), i)", x=F(2), i=given([0]))
imperative("L.array_read([x], i)", x=F(2), i=given([-1]))
imperative("L.array_read([x], i)", x=F(2), i=given([1]))
imperative("L.array_write(x, i, [x, x])", x=F(2), i=given([-1]))
imperative("L.array_length((x,))", x=F(2))

# Detection
for ratios, sizes in (([], [64.0]), ([1.0], []), ([0.0], [64.0]), ([-1.0], [64.0]), ([1.0], [-64.0])):
    static("L.anchor_generator(x, %r, %r, stride=[16.0, 16.0])" % (sizes, ratios), x=F(1, 2, 2, 2))
for variance in ([0.1, 0.1, 0.2], [0.1] * 5, [0.0] * 4, [-0.1] * 4):
    static("L.anchor_generator(x, [64.0], [1.0], %r, [16.0, 16.0])" % variance, x=F(1, 2, 2, 2))
static("L.anchor_generator(x, [64.0], [1.0], stride=[0.0, 16.0])", x=F(1, 2, 2, 2))
static("L.anchor_generator(x, [64.0], [1.0], stride=[-16.0, 16.0])", x=F(1, 2, 2, 2))
static("L.anchor_generator(x, [64.0], [1.0], stride=[16.0])", x=F(1, 2, 2, 2))
static("L.bipartite_match(x, 'other', 0.5)", x=F(2, 3))
static("L.bipartite_match(x)", x=N(6))
static("L.bipartite_match(x)", x=N(2, 3, 1))
boxes = np.array([[0, 0, 4, 4], [1, 1, 9, 5], [2, 0, 3, 3]], "float32")
for info in ([[5.0, 5.0, 1.0]], [[5.0, 5.0, 1.0]] * 2, [[5.0, 5.0]], [[5.0, 5.0, 1.0, 7.0]]):
    shown = np.array(info, "float32")
    static("L.box_clip(x, i)", x=given(boxes, lengths=[[3]]), i=given(shown))
    static("L.box_clip(x, i)", x=given(boxes), i=given(shown))
    static("L.box_clip(x, i)", x=given(boxes, lengths=[[1, 2]]), i=given(shown))
static("L.box_clip(x, i)", x=given(boxes.reshape(3, 1, 4), lengths=[[3]]), i=given([[5.0, 5.0, 1.0]], dtype="float32"))
static("L.box_coder(x, [0.1, 0.1, 0.2, 0.2], y)", x=given(boxes), y=given(boxes[:2]))
static("L.box_coder(x, [0.1, 0.1, 0.2], y)", x=given(boxes), y=given(boxes))
static("L.box_coder(x, v, y)", x=given(boxes), v=given(boxes[:1] + 1), y=given(boxes))
static("L.box_coder(x, v, y)", x=given(boxes), v=N(1, 4), y=given(boxes))
static("L.box_coder(x, v, y)", x=given(boxes), v=N(4), y=given(boxes))
static("L.box_coder(x, None, y)", x=given(boxes), y=given(boxes))
static("L.box_coder(x, None, y, 'other')", x=given(boxes), y=given(boxes))
for axis in (0, 1, 2, -1):
    static("L.box_coder(x, None, y, 'decode_center_size', axis=%d)" % axis, x=given(boxes), y=F(3, 3, 4))
    static("L.box_coder(x, None, y, 'decode_center_size', axis=%d)" % axis, x=given(boxes), y=F(2, 3, 4))
    static("L.box_coder(x, None, y, 'decode_center_size', axis=%d)" % axis, x=given(boxes), y=N(2, 3, 4))
    static("L.box_coder(x, None, y, axis=%d)" % axis, x=given(boxes), y=given(boxes))
static("L.density_prior_box(x, y, [2], [4.0, 5.0], [1.0])", x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.density_prior_box(x, y, [2], [4.0], [])", x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.density_prior_box(x, y, [], [], [1.0])", x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.density_prior_box(x, y, [0], [4.0], [1.0])", x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.density_prior_box(x, y, [2], [4.0], [1.0], variance=[0.1])", x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.density_prior_box(x, y, [2], [4.0], [1.0], variance=[0.1] * 5)", x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.density_prior_box(x, y, [2], [4.0], [1.0])", x=F(1, 2, 2), y=F(1, 1, 4, 4))
for sizes in (
    "[], None",
    "[-2.0], None",
    "[2.0], [1.0]",
    "[2.0], [2.0]",
    "[2.0, 3.0], [4.0]",
    "[2.0], [4.0, 5.0]",
    "[2.0], [4.0], []",
    "[2.0], None, [-1.0]",
    "[2.0], None, [1.0], [0.1] * 3",
    "[2.0], None, [1.0], [0.1] * 5",
    "[2.0], None, [1.0], [0.0] * 4",
    "[2.0], None, [1.0], [-1.0] * 4",
):
    static("L.prior_box(x, y, %s)" % sizes, x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.prior_box(x, y, [2.0], steps=[0.0, 1.0])", x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.prior_box(x, y, [2.0], steps=[-1.0, 1.0])", x=F(1, 1, 2, 2), y=F(1, 1, 4, 4))
static("L.prior_box(x, y, [2.0])", x=N(1, 1, 2, 2), y=N(1, 1, 4, 4))
static("L.prior_box(x, y, [2.0])", x=F(1, 2, 2), y=F(1, 1, 4, 4))
static("L.distribute_fpn_proposals(x, 3, 2, 2, 224)", x=given(boxes, lengths=[[3]]))
static("L.distribute_fpn_proposals(x, 2, 2, 2, 224)", x=given(boxes, lengths=[[3]]))
static("L.distribute_fpn_proposals(x, 2, 4, 3, 0)", x=given(boxes, lengths=[[3]]))
static("L.distribute_fpn_proposals(x, 2, 4, 3, 224)", x=given(boxes))
static("L.iou_similarity(x, y)", x=given(boxes), y=N(2, 5))
static("L.iou_similarity(x, y)", x=given(boxes), y=N(4))
static("L.polygon_box_transform(x)", x=F(1, 3, 2, 2))
static("L.polygon_box_transform(x)", x=F(1, 4, 2))
static("L.polygon_box_transform(x)", x=N(1, 3, 2, 2))
rois = dict(x=F(1, 4, 4, 4), r=given(boxes, lengths=[[3]]))
bare = dict(x=F(1, 4, 4, 4), r=given(boxes))
two = dict(x=F(2, 4, 4, 4), r=given(boxes, lengths=[[3]]))
many = dict(x=F(1, 4, 4, 4), r=given(boxes, lengths=[[1, 2]]))
for pool in (
    "L.roi_pool(x, r, %s)",
    "L.roi_align(x, r, %s)",
    "L.prroi_pool(x, r, 1.0, %s)",
    "L.psroi_pool(x, r, 1, 1.0, %s)",
):
    for sizes in ("2, 2", "0, 2", "-1, 2", "3, 2"):
        static(pool % sizes, **rois)
    for inputs in (bare, two, many):
        static(pool % "2, 2", **inputs)
    static(pool % "2, 2", x=F(1, 4, 4, 4), r=N(3, 5, lengths=[[3]]))
    static(pool % "2, 2", x=F(1, 4, 4, 4), r=N(3, 3, lengths=[[3]]))
static("L.roi_align(x, r, 2, 2, sampling_ratio=0)", **rois)
static("L.roi_align(x, r, 2, 2, spatial_scale=-1.0)", **rois)
static("L.roi_align(x, r, 2, 2, sampling_ratio=-3)", **rois)
static("L.roi_perspective_transform(x, r, 2, 2)", x=F(1, 4, 4, 4), r=given(np.tile(boxes, 2), lengths=[[3]]))
static("L.roi_perspective_transform(x, r, 2, 2)", x=F(1, 4, 4, 4), r=given(np.tile(boxes, 2)))
static("L.roi_perspective_transform(x, r, 0, 2)", x=F(1, 4, 4, 4), r=given(np.tile(boxes, 2), lengths=[[3]]))
for inputs in (
    dict(x=F(3, 2, 4, lengths=[[1, 2]]), m=given([[0, -1], [1, 0]], dtype="int32")),
    dict(x=F(3, 2, 4), m=given([[0, -1], [1, 0]], dtype="int32")),
    dict(x=F(3, 2, 4, lengths=[[3]]), m=given([[0, -1], [1, 0]], dtype="int32")),
    dict(x=F(3, 2, 4, lengths=[[1, 1, 1]]), m=given([[0, -1], [0, 0]], dtype="int32")),
    dict(x=F(3, 4, lengths=[[1, 2]]), m=given([[0, -1], [1, 0]], dtype="int32")),
    dict(x=F(3, 2, 4, lengths=[[1, 2]]), m=given([0, -1], dtype="int32")),
    dict(x=F(3, 3, 4, lengths=[[1, 2]]), m=given([[0, -1], [1, 0]], dtype="int32")),
    dict(x=F(3, 1, 4, lengths=[[1, 2]]), m=given([[0, -1], [1, 0]], dtype="int32")),
):
    inputs["m"].value = inputs["m"].value.astype("int32")
    static("L.target_assign(x, m)", **inputs)
for anchors, classes in (
    ([], 2),
    ([10], 2),
    ([10, 13], 0),
    ([10, 13], -1),
    ([10, 13], 3),
    ([10, 13, 16], 2),
    ([-10, 13], 2),
):
    static(
        "L.yolo_box(x, s, %r, %d, 0.01, 32)" % (anchors, classes),
        x=F(1, 7, 2, 2),
        s=given(np.array([[64, 64]], "int32")),
    )
static("L.yolo_box(x, s, [10, 13], 2, 0.01, 32)", x=F(1, 7, 2, 2), s=given(np.array([[64, 64]] * 2, "int32")))
static(
    "L.yolo_box(x, s, [10, 13], 2, 0.01, 32)",
    x=N(1, 7, 2, 2),
    s=given(np.array([[64, 64]] * 2, "int32"), shape=[-1, 2]),
)
static(
    "L.yolo_box(x, s, [10, 13], 2, 0.01, 32)", x=N(2, 7, 2, 2), s=given(np.array([[64, 64]], "int32"), shape=[-1, 2])
)
static("L.yolo_box(x, s, [10, 13], 2, 0.01, 0)", x=F(1, 7, 2, 2), s=given(np.array([[64, 64]], "int32")))
static("L.yolo_box(x, s, [10, 13], 2, -1.0, 32)", x=F(1, 7, 2, 2), s=given(np.array([[64, 64]], "int32")))
static("L.yolo_box(x, s, [10, 13], 2, 0.01, 32)", x=F(1, 7, 2, 3), s=given(np.array([[64, 64]], "int32")))
truth = dict(b=given(np.full((1, 2, 4), 0.4, "float32")), l=given(np.array([[0, 1]], "int32")))
for anchors, mask, classes in (
    ([10, 13], [], 2),
    ([10, 13], [1], 2),
    ([10, 13], [-1], 2),
    ([10], [0], 2),
    ([], [0], 2),
    ([10, 13], [0], 0),
    ([10, 13, 16, 30], [1], 2),
    ([10, 13, 16, 30], [0, 1], 2),
):
    static("L.yolov3_loss(x, b, l, %r, %r, %d, 0.7, 32)" % (anchors, mask, classes), x=F(1, 7, 2, 2), **truth)
static("L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 32)", x=F(1, 7, 2, 3), **truth)
static("L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 32)", x=N(1, 7, 2, 3), **truth)
static("L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 32)", x=F(2, 7, 2, 2), **truth)
static(
    "L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 32)",
    x=F(1, 7, 2, 2),
    b=truth["b"],
    l=given(np.array([[5, 1]], "int32")),
)
static(
    "L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 32)",
    x=F(1, 7, 2, 2),
    b=truth["b"],
    l=given(np.array([[-1, 1]], "int32")),
)
static(
    "L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 32)",
    x=F(1, 7, 2, 2),
    b=truth["b"],
    l=given(np.array([[0, 1, 1]], "int32")),
)
static("L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 32, s)", x=F(1, 7, 2, 2), s=F(1, 2), **truth)
static("L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 32, s)", x=F(1, 7, 2, 2), s=F(1, 3), **truth)
static("L.yolov3_loss(x, b, l, [10, 13], [0], 2, 0.7, 0)", x=F(1, 7, 2, 2), **truth)
static("L.yolov3_loss(x, b, l, [10, 13], [0], 2, -0.7, 32)", x=F(1, 7, 2, 2), **truth)
nms = dict(b=F(1, 3, 4), s=F(1, 2, 3))
for options in (
    "0.01, 4, 4",
    "0.01, -1, -1",
    "0.01, 0, 0",
    "-1.0, 4, 4",
    "2.0, 4, 4",
    "0.01, 4, 4, nms_threshold=-1.0",
    "0.01, 4, 4, nms_eta=2.0",
    "0.01, 4, 4, nms_eta=-1.0",
    "0.01, 4, 4, background_label=5",
    "0.01, 4, 4, background_label=-1",
):
    static("L.multiclass_nms(b, s, %s)" % options, **nms)
static("L.multiclass_nms(b, s, 0.01, 4, 4)", b=N(1, 3, 5), s=N(1, 2, 3))
static("L.multiclass_nms(b, s, 0.01, 4, 4)", b=F(1, 3, 8), s=F(1, 2, 3))
static("L.multiclass_nms(b, s, 0.01, 4, 4)", b=F(1, 4, 4), s=F(1, 2, 3))
static("L.multiclass_nms(b, s, 0.01, 4, 4)", b=N(1, 4, 4), s=N(1, 2, 3))
static("L.multiclass_nms(b, s, 0.01, 4, 4)", b=N(2, 3, 4), s=N(1, 2, 3))
static("L.multiclass_nms(b, s, 0.01, 4, 4)", b=F(3, 2, 4), s=F(3, 2))
static("L.multiclass_nms(b, s, 0.01, 4, 4)", b=F(3, 2, 4, lengths=[[3]]), s=F(3, 2, lengths=[[3]]))
static("L.multiclass_nms(b, s, 0.01, 4, 4)", b=F(3, 4), s=F(1, 2, 3))

explained(calls, "refusals")
