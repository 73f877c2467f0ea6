"""What suppressions give where they find nothing in any image: shapes and LoDs of Fluid 1.8.5."""

import numpy as np
import pytest

import paddle.fluid as fluid

layers = fluid.layers


def zeros(*shape):
    return layers.fill_constant(list(shape), "float32", 0.0)


def nms2(images):
    boxes, scores = zeros(images, 2, 4), zeros(images, 2, 2)
    return fluid.contrib.layers.multiclass_nms2(boxes, scores, 0.5, 10, 10, return_index=True)


def matrix(images):
    boxes, scores = zeros(images, 2, 4), zeros(images, 2, 2)
    return layers.matrix_nms(boxes, scores, 0.5, 0.1, 10, 10, return_index=True)


def retinanet(images):
    anchors, sizes = layers.assign(np.array([[0, 0, 9, 9]], "float32")), np.array([[20, 20, 1]] * images, "float32")
    found = layers.retinanet_detection_output(
        [zeros(images, 1, 4)], [zeros(images, 1, 2)], [anchors], layers.assign(sizes), score_threshold=0.9
    )
    return [found]


@pytest.mark.parametrize("images", [1, 2])
@pytest.mark.parametrize("function", [nms2, matrix, retinanet], ids=lambda f: f.__name__)
def test_an_empty_result_has_one_axis_and_an_empty_sequence_for_each_image(function, images):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        outs = function(images)
    for found in fluid.Executor(fluid.CPUPlace()).run(main, fetch_list=list(outs), return_numpy=False):
        assert found.shape() == [0]
        assert found.recursive_sequence_lengths() == [[0] * images]


def test_multiclass_nms_gives_a_single_minus_one():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        out = layers.multiclass_nms(zeros(2, 2, 4), zeros(2, 2, 2), 0.5, 10, 10)
    (found,) = fluid.Executor(fluid.CPUPlace()).run(main, fetch_list=[out], return_numpy=False)
    assert np.array(found).tolist() == [[-1]]
