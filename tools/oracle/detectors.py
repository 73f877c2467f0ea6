"""Tiny object detectors in plain Fluid code, trained for a few steps and then asked what they find."""

import numpy as np
from training import fixed_value

import paddle.fluid as fluid
from paddle.fluid import layers

DETECTORS = {}
STEPS = 3
SIDE = 32


def detector(function):
    """Register a function that builds a network: it returns the loss and what is found."""
    DETECTORS[function.__name__] = function
    return function


def picture():
    return layers.data("image", [3, SIDE, SIDE])


def truth(label_type="int32"):
    return (
        layers.data("gt_box", [4], lod_level=1),
        layers.data("gt_label", [1], dtype=label_type, lod_level=1),
        layers.data("is_crowd", [1], dtype="int32", lod_level=1),
        layers.data("im_info", [3]),
    )


def backbone(image, stride, channels=6):
    return layers.conv2d(image, channels, 3, stride=stride, padding=1, act="tanh")


@detector
def ssd():
    image = picture()
    gt_box, gt_label, _, _ = truth()
    first = backbone(image, 8)
    maps = [first, backbone(first, 2), backbone(backbone(first, 2), 2)]
    location, score, boxes, variances = layers.multi_box_head(
        maps, image, SIDE, 4, [[2.0], [2.0], [2.0]], min_ratio=20, max_ratio=90, flip=True, clip=True
    )
    # True boxes are given in pixels of the scaled image.
    part = layers.scale(gt_box, scale=1.0 / SIDE)
    loss = layers.ssd_loss(location, score, part, gt_label, boxes, variances)
    detections = layers.detection_output(location, score, boxes, variances, nms_threshold=0.45, keep_top_k=10)
    return layers.reduce_sum(loss), detections


def rpn(features, stride):
    anchors, variances = layers.anchor_generator(features, [8.0, 16.0], [0.5, 1.0], stride=[stride, stride])
    score = layers.conv2d(features, 4, 1)
    move = layers.conv2d(features, 16, 1)
    return anchors, variances, score, move


def by_anchor(predicted, width):
    """[N, A * width, H, W] as [N, H * W * A, width]."""
    return layers.reshape(layers.transpose(predicted, [0, 2, 3, 1]), [0, -1, width])


def proposal_losses(anchors, variances, score, move, gt_box, is_crowd, im_info):
    logits, moves, label, target, weight = layers.rpn_target_assign(
        by_anchor(move, 4), by_anchor(score, 1), layers.reshape(anchors, [-1, 4]), layers.reshape(variances, [-1, 4]),
        gt_box, is_crowd, im_info, rpn_batch_size_per_im=16, rpn_positive_overlap=0.5, rpn_straddle_thresh=4.0,
        use_random=False,
    )  # fmt: skip
    label = layers.cast(label, "float32")
    label.stop_gradient = True
    objects = layers.reduce_mean(layers.sigmoid_cross_entropy_with_logits(logits, label))
    places = layers.reduce_mean(layers.smooth_l1(moves, target, sigma=3.0, inside_weight=weight, outside_weight=weight))
    return objects + places


def proposals(anchors, variances, score, move, im_info):
    return layers.generate_proposals(
        layers.sigmoid(score), move, im_info, anchors, variances, pre_nms_top_n=40, post_nms_top_n=8, nms_thresh=0.7,
        min_size=1.0,
    )  # fmt: skip


@detector
def faster_rcnn():
    gt_box, gt_label, is_crowd, im_info = truth()
    features = backbone(picture(), 8)
    first = rpn(features, 8.0)
    loss = proposal_losses(*first, gt_box, is_crowd, im_info)
    rois, _ = proposals(*first, im_info)
    regions, label, target, inside, outside = layers.generate_proposal_labels(
        rois, gt_label, is_crowd, gt_box, im_info, batch_size_per_im=8, fg_thresh=0.5, class_nums=4, use_random=False
    )
    pooled = layers.roi_align(features, regions, 2, 2, spatial_scale=1 / 8.0, sampling_ratio=2)
    pooled += layers.roi_pool(features, regions, 2, 2, spatial_scale=1 / 8.0)
    score, move = layers.fc(pooled, 4), layers.fc(pooled, 16)
    label = layers.cast(label, "int64")
    label.stop_gradient = True
    loss += layers.reduce_mean(layers.softmax_with_cross_entropy(score, label))
    loss += layers.reduce_mean(layers.smooth_l1(move, target, inside_weight=inside, outside_weight=outside))
    boxes = layers.box_coder(
        regions, [0.1, 0.1, 0.2, 0.2], layers.reshape(move, [-1, 4, 4]), "decode_center_size", False, axis=1
    )
    clipped = layers.box_clip(boxes, im_info)
    detections = layers.multiclass_nms(
        clipped, layers.softmax(score), 0.05, nms_top_k=20, keep_top_k=6, nms_threshold=0.5, normalized=False
    )
    return loss, detections


@detector
def pyramid():
    """Proposals of two levels, gathered, sent to their levels, pooled by position and brought back into order."""
    gt_box, _, is_crowd, im_info = truth()
    fine = backbone(picture(), 4, 8)
    coarse = backbone(fine, 2, 8)
    loss, regions, scores = 0.0, [], []
    for features, stride in ((fine, 4.0), (coarse, 8.0)):
        level = rpn(features, stride)
        loss += proposal_losses(*level, gt_box, is_crowd, im_info)
        proposed, score = proposals(*level, im_info)
        regions.append(proposed)
        scores.append(score)
    together = layers.collect_fpn_proposals(regions, scores, 2, 3, post_nms_top_n=10)
    levels, restore = layers.distribute_fpn_proposals(together, 2, 3, refer_level=3, refer_scale=10)
    pooled = [
        layers.psroi_pool(fine, levels[0], 2, 1 / 4.0, 2, 2),
        layers.psroi_pool(coarse, levels[1], 2, 1 / 8.0, 2, 2),
    ]
    in_order = layers.gather(layers.concat(pooled), restore)
    return loss + layers.reduce_mean(layers.square(layers.fc(in_order, 3))), together


@detector
def yolov3():
    gt_box = layers.data("yolo_box", [3, 4])
    gt_label = layers.data("yolo_label", [3], dtype="int32")
    size = layers.data("im_size", [2], dtype="int32")
    head = layers.conv2d(backbone(picture(), 8), 18, 1)
    anchors = [4, 6, 8, 8, 16, 12]
    loss = layers.yolov3_loss(head, gt_box, gt_label, anchors[:4], [0, 1], 4, 0.5, 8)
    boxes, scores = layers.yolo_box(head, size, anchors[:4], 4, 0.1, 8)
    ranked = layers.transpose(scores, [0, 2, 1])
    detections = layers.multiclass_nms(boxes, ranked, 0.1, nms_top_k=20, keep_top_k=5, background_label=-1)
    return layers.reduce_mean(loss), detections


@detector
def retinanet():
    gt_box, gt_label, is_crowd, im_info = truth()
    features = backbone(picture(), 8)
    anchors, variances = layers.anchor_generator(features, [8.0, 16.0], [0.5, 1.0], stride=[8.0, 8.0])
    score, move = by_anchor(layers.conv2d(features, 12, 1), 3), by_anchor(layers.conv2d(features, 16, 1), 4)
    flat = layers.reshape(anchors, [-1, 4])
    logits, moves, label, target, weight, number = layers.retinanet_target_assign(
        move, score, flat, layers.reshape(variances, [-1, 4]), gt_box, gt_label, is_crowd, im_info, 3
    )
    total = layers.reduce_sum(number)
    total.stop_gradient = True
    loss = layers.reduce_sum(layers.sigmoid_focal_loss(logits, label, total))
    loss += layers.reduce_mean(layers.smooth_l1(moves, target, inside_weight=weight, outside_weight=weight))
    detections = layers.retinanet_detection_output([move], [layers.sigmoid(score)], [flat], im_info, keep_top_k=6)
    return loss, detections


def feeds():
    """Two images with two and one objects."""
    random, place = np.random.RandomState(3), fluid.CPUPlace()
    boxes = np.array([[3, 4, 14, 13], [15, 10, 30, 28], [6, 6, 27, 20]], "float32")
    size = np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1) / SIDE
    by_image = np.zeros([2, 3, 4], "float32")
    by_image[0, :2], by_image[1, 0] = size[:2], size[2]

    def ragged(array):
        return fluid.create_lod_tensor(array, [[2, 1]], place)

    return {
        "image": random.uniform(-1, 1, [2, 3, SIDE, SIDE]).astype("float32"),
        "gt_box": ragged(boxes),
        "gt_label": ragged(np.array([[1], [3], [2]], "int32")),
        "is_crowd": ragged(np.zeros([3, 1], "int32")),
        "im_info": np.array([[SIDE, SIDE, 1.0]] * 2, "float32"),
        "yolo_box": by_image,
        "yolo_label": np.array([[1, 3, 0], [2, 0, 0]], "int32"),
        "im_size": np.array([[SIDE, SIDE]] * 2, "int32"),
    }


def run(name):
    """{"losses": of the steps, "found": by the last one, "lod": its images, "ops": the types before the gradients}."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()) as _:
        loss, detections = DETECTORS[name]()
        ops = [op.type for op in main.global_block().ops]
        fluid.optimizer.SGD(0.02).minimize(loss)
        place = fluid.CPUPlace()
        executor = fluid.Executor(place)
        executor.run(startup)
        parameters = sorted(main.all_parameters(), key=lambda parameter: parameter.name)
        for index, parameter in enumerate(parameters):
            value = fixed_value(index, parameter.shape) * 0.2
            fluid.global_scope().find_var(parameter.name).get_tensor().set(value, place)
        feed = {key: value for key, value in feeds().items() if main.global_block().has_var(key)}
        losses = []
        for _ in range(STEPS):
            value, boxes = executor.run(main, feed, [loss, detections], return_numpy=False)
            losses.append(float(np.array(value).ravel()[0]))
        return {"losses": losses, "found": np.array(boxes), "lod": boxes.lod(), "ops": ops}
