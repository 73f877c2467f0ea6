"""Functions of object detection in both modes, and what they refuse."""

import numpy as np
import pytest
from tests.layers.modes import both, operators, ragged

from refluid.autodiff.backward import gradients
from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.places import CPUPlace
from refluid.eager import base as imperative
from refluid.executor.executor import Executor
from refluid.ir.program import Program, default_main_program, program_guard
from refluid.layers.data import fluid_data
from refluid.layers.detection import anchors, boxes, proposals, regions, ssd, suppression, yolo
from refluid.layers.reduce import reduce_sum
from refluid.layers.tensor import assign
from refluid.tensor.create import create_lod_tensor
from refluid.tensor.scope import Scope

PRIORS = np.array([[0.1, 0.1, 0.4, 0.4], [0.2, 0.2, 0.6, 0.7], [0.5, 0.5, 0.9, 0.9], [0, 0, 1, 1]], "float32")
SPREAD = np.full((4, 4), 0.1, "float32")
TRUTH = ragged([[0.1, 0.1, 0.4, 0.45], [0.5, 0.4, 0.9, 0.9], [0.2, 0.2, 0.6, 0.6]], [2, 1])
CLASSES = ragged([[1], [2], [1]], [2, 1], "int32")


def numbers(*shape, seed=0, low=-1.0, high=1.0):
    return np.random.default_rng(seed).uniform(low, high, shape).astype("float32")


def test_the_loss_of_a_single_shot_detector_and_what_it_finds():
    def build(location, score, box, label):
        loss = ssd.ssd_loss(location, score, box, label, assign(PRIORS), assign(SPREAD))
        return loss, ssd.detection_output(location, score, assign(PRIORS), assign(SPREAD), return_index=True)

    inputs = {"location": numbers(2, 4, 4), "score": numbers(2, 4, 3, seed=1), "box": TRUTH, "label": CLASSES}
    loss, found, index = both(build, **inputs)
    assert loss.shape == (2, 1)
    assert found.shape[1] == 6
    assert index.shape == (len(found), 1)
    assert set(found[:, 0]) <= {1.0, 2.0}  # the background is left out


def test_single_shot_gradients_are_the_same_in_both_modes():
    location, score = numbers(2, 4, 4), numbers(2, 4, 3, seed=1)
    with program_guard(Program(), Program()):
        x = fluid_data("x", [2, 4, 4])
        s = fluid_data("s", [2, 4, 3])
        x.stop_gradient = s.stop_gradient = False
        box = fluid_data("box", [None, 4], lod_level=1)
        label = fluid_data("label", [None, 1], "int32", lod_level=1)
        loss = ssd.ssd_loss(x, s, box, label, assign(PRIORS), assign(SPREAD))
        wanted = gradients([loss], [x, s])
        feed = {"x": location, "s": score, "box": TRUTH, "label": CLASSES}
        static = Executor(CPUPlace()).run(default_main_program(), feed, wanted, scope=Scope())
    with imperative.guard():
        x, s, box, label = (imperative.to_variable(value) for value in (location, score, TRUTH, CLASSES))
        x.stop_gradient = s.stop_gradient = False
        ssd.ssd_loss(x, s, box, label, assign(PRIORS), assign(SPREAD)).backward()
        for found, expected in zip((x.gradient(), s.gradient()), static):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert np.abs(static[0]).max() > 0


def test_nothing_found_is_a_single_minus_one_or_no_row_at_all():
    def build(box, score):
        plain = suppression.multiclass_nms(box, score, 0.9, -1, -1)
        return plain, suppression.multiclass_nms2(box, score, 0.9, -1, -1, return_index=True)

    plain, found, index = both(build, box=numbers(1, 3, 4, low=0), score=np.full((1, 2, 3), 0.5, "float32"))
    assert plain.tolist() == [[-1]]
    assert found.shape == index.shape == (0,)


def test_suppressions_tell_the_images_apart():
    box, score = np.stack([PRIORS, PRIORS * 0.5]), numbers(2, 3, 4, low=0)

    def build(box, score):
        return (
            suppression.multiclass_nms(box, score, 0.1, 10, 3),
            suppression.matrix_nms(box, score, 0.1, 0.05, 10, 3, return_index=True),
        )

    with imperative.guard():
        found, (lessened, index) = build(imperative.to_variable(box), imperative.to_variable(score))
        assert found._lod.lengths() == lessened._lod.lengths() == index._lod.lengths() == [[3, 3]]
    both(build, box=box, score=score)


def test_proposals_in_both_modes():
    def build(score, move, info):
        place, spread = anchors.anchor_generator(move, [8.0], [1.0, 2.0], stride=[8.0, 8.0])
        rois, probs, ends = proposals.generate_proposals(
            score, move, info, place, spread, post_nms_top_n=4, return_rois_num=True
        )
        levels, restore = proposals.distribute_fpn_proposals(rois, 2, 3, refer_level=3, refer_scale=8)
        again = proposals.collect_fpn_proposals(levels, [level_score(level) for level in levels], 2, 3, 5)
        return rois, probs, ends, levels, restore, again

    def level_score(level):
        return reduce_sum(level, dim=1, keep_dim=True)

    info = np.array([[32, 32, 1], [32, 32, 1]], "float32")
    rois, probs, ends, first, second, restore, again = both(
        build, score=numbers(2, 2, 4, 4, low=0), move=numbers(2, 8, 4, 4), info=info
    )
    assert ends.tolist() == [4, 8]
    np.testing.assert_array_equal(np.concatenate([first, second])[restore.ravel()], rois)
    assert probs.shape == (8, 1)
    assert again.shape == (5, 4)


def test_pooled_regions_in_both_modes():
    rois = ragged([[0, 0, 4, 4], [1, 2, 5, 5], [2, 0, 3, 5]], [1, 2])

    def build(x, rois):
        aligned = regions.roi_align(x, rois, 2, 2)
        pooled = regions.roi_pool(x, rois, 2, 2)
        exact = regions.prroi_pool(x, rois, 1.0, 2, 2)
        parted = regions.psroi_pool(x, rois, 1, 1.0, 2, 2)
        moved = regions.deformable_roi_pooling(
            x, rois, assign(np.zeros((3, 2, 2, 2), "float32")), pooled_height=2, pooled_width=2, group_size=[2, 2],
            position_sensitive=True,
        )  # fmt: skip
        return aligned, pooled, exact, parted, moved

    aligned, pooled, exact, parted, moved = both(build, x=numbers(2, 4, 6, 6), rois=rois)
    assert aligned.shape == pooled.shape == exact.shape == (3, 4, 2, 2)
    assert parted.shape == moved.shape == (3, 1, 2, 2)


def test_regions_may_come_with_offsets_instead_of_a_lod():
    box = np.array([[0, 0, 4, 4], [1, 2, 5, 5], [2, 0, 3, 5]], "float32")
    x = numbers(2, 4, 6, 6)
    (by_lod,) = both(lambda x, rois: regions.roi_align(x, rois, 2, 2), x=x, rois=ragged(box, [1, 2]))
    (by_offsets,) = both(
        lambda x, rois: regions.roi_align(x, rois, 2, 2, rois_lod=assign(np.array([0, 1, 3], "int64"))), x=x, rois=box
    )
    np.testing.assert_array_equal(by_lod, by_offsets)


def test_quadrangles_are_straightened_in_both_modes():
    corners = ragged([[1, 1, 4, 1, 4, 4, 1, 4]], [1])
    out, mask, matrix = both(
        lambda x, rois: regions.roi_perspective_transform(x, rois, 4, 4), x=numbers(1, 2, 6, 6), rois=corners
    )
    assert mask.all()
    np.testing.assert_allclose(matrix[0], [1, 0, 1, 0, 1, 1, 0, 0, 1], atol=1e-5)
    assert out.shape == (1, 2, 4, 4)


def test_yolo_in_both_modes():
    truth = np.array([[[0.3, 0.4, 0.3, 0.2], [0, 0, 0, 0]]], "float32")
    label = np.array([[1, 0]], "int32")

    def build(x, truth, label, size):
        loss = yolo.yolov3_loss(x, truth, label, [10, 13, 16, 30], [0, 1], 2, 0.5, 8)
        return loss, yolo.yolo_box(x, size, [10, 13, 16, 30], 2, 0.1, 8)

    loss, box, score = both(build, x=numbers(1, 14, 4, 4), truth=truth, label=label, size=np.array([[32, 32]], "int32"))
    assert loss.shape == (1,)
    assert box.shape == (1, 32, 4)
    assert score.shape == (1, 32, 2)


def test_drawn_targets_are_no_more_than_asked_for_and_differ_from_run_to_run():
    anchor = numbers(400, 4, low=0, high=20)
    anchor[:, 2:] += anchor[:, :2]
    truth, crowd = ragged(anchor[:2], [1, 1]), ragged(np.zeros((2, 1)), [1, 1], "int32")
    info = np.array([[64, 64, 1], [64, 64, 1]], "float32")
    with imperative.guard():
        move, score, anchor, truth, crowd, info = (
            imperative.to_variable(value)
            for value in (numbers(2, 400, 4), numbers(2, 400, 1), anchor, truth, crowd, info)
        )
        draws = [
            proposals.rpn_target_assign(move, score, anchor, anchor, truth, crowd, info, rpn_batch_size_per_im=16)
            for _ in range(2)
        ]
        for logits, moves, label, target, weight in draws:
            assert logits.shape == [32, 1]
            assert moves.shape == target.shape == weight.shape
            assert 0 < label.numpy().sum() <= 16
        assert not np.array_equal(draws[0][0].numpy(), draws[1][0].numpy())


def test_masks_of_regions_in_both_modes():
    corners = create_lod_tensor(np.array([[0, 0], [8, 0], [8, 8], [0, 8]], "float32"), [[1], [1], [4]], CPUPlace())

    def build(info, label, crowd, corners, rois, of):
        return proposals.generate_mask_labels(info, label, crowd, corners, rois, of, 3, 4)

    rois, which, masks = both(
        build, info=np.array([[16, 16, 1]], "float32"), label=ragged([[2]], [1], "int32"),
        crowd=ragged([[0]], [1], "int32"), corners=corners, rois=ragged([[0, 0, 3, 3], [0, 0, 16, 8]], [2]),
        of=ragged([[0], [2]], [2], "int32"),
    )  # fmt: skip
    assert which.tolist() == [[1]]
    assert rois.tolist() == [[0, 0, 16, 8]]
    mask = masks.reshape(3, 4, 4)
    assert (mask[:2] == -1).all()
    assert mask[2].tolist() == [[1, 1, 0, 0]] * 4  # the square fills the left half of the region


def test_boxes_are_decoded_as_they_were_encoded():
    def build(truth):
        coded = boxes.box_coder(assign(PRIORS), [0.1, 0.1, 0.2, 0.2], truth)
        return boxes.box_coder(assign(PRIORS), [0.1, 0.1, 0.2, 0.2], coded, "decode_center_size")

    (again,) = both(build, truth=TRUTH)
    np.testing.assert_allclose(again, np.broadcast_to(np.array(TRUTH)[:, None], again.shape), atol=1e-5)


def test_names_are_those_of_1_8_5():
    rois = fluid_data("rois", [None, 4], lod_level=1)
    info = fluid_data("info", [2, 3])
    levels, _ = proposals.distribute_fpn_proposals(boxes.box_clip(rois, info), 2, 3, 3, 224)
    boxes.iou_similarity(levels[0], levels[1], name="similar")
    assert operators() == [
        "box_clip: rois info -> box_clip_0.tmp_0",
        "distribute_fpn_proposals: box_clip_0.tmp_0 -> distribute_fpn_proposals_0.tmp_0 "
        "distribute_fpn_proposals_0.tmp_1 distribute_fpn_proposals_0.tmp_2",
        "iou_similarity: distribute_fpn_proposals_0.tmp_0 distribute_fpn_proposals_0.tmp_1 -> similar.tmp_0",
    ]
    assert [level.lod_level for level in levels] == [1, 1]


def test_wrong_arguments_are_named():
    x = fluid_data("x", [1, 14, 4, 4])
    with pytest.raises(ArgumentError, match=r"anchor_generator: stride must be \[width, height\], got None"):
        anchors.anchor_generator(x, [8.0], [1.0])
    with pytest.raises(ArgumentError, match="yolo_box: anchors must be a list of ints, got 3"):
        yolo.yolo_box(x, fluid_data("size", [1, 2], "int32"), 3, 2, 0.1, 8)
    with pytest.raises(ArgumentError, match="ssd_loss: mining_type must be 'max_negative', got 'hard_example'"):
        ssd.ssd_loss(x, x, x, x, x, mining_type="hard_example")
    with pytest.raises(ArgumentError, match="generate_proposal_labels: class_nums must be given"):
        proposals.generate_proposal_labels(x, x, x, x, x)
    with pytest.raises(ArgumentError, match="2 levels, but 1 multi_rois and 1 multi_scores"):
        proposals.collect_fpn_proposals([x], [x], 2, 3, 5)
    with pytest.raises(ArgumentError, match="14 channels do not divide into 3 \\* 3 parts"):
        regions.deformable_roi_pooling(x, x, x, pooled_height=3, pooled_width=3, position_sensitive=True)
    with imperative.guard(), pytest.raises(ShapeError, match="ROIs must have a LoD that assigns each to one of"):
        x = imperative.to_variable(numbers(2, 4, 6, 6))
        regions.roi_align(x, imperative.to_variable(numbers(3, 4)), 2, 2)
