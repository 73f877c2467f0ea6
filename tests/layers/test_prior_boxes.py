import numpy as np
import pytest
from tests.layers.modes import both, operators

from refluid.core.errors import ArgumentError
from refluid.ir.program import default_main_program
from refluid.layers.data import fluid_data
from refluid.layers.prior_boxes import multi_box_head, prior_box

IMAGE = np.zeros((2, 3, 32, 32), "float32")
MAPS = [np.ones((2, 4, size, size), "float32") for size in (8, 4, 2)]


def inputs():
    return [fluid_data(f"f{i}", list(one.shape)) for i, one in enumerate(MAPS)], fluid_data("image", [2, 3, 32, 32])


def test_prior_boxes_in_both_modes():
    boxes, variances = both(
        lambda x, image: prior_box(x, image, [4.0], [8.0], 2.0, flip=True, clip=True), x=MAPS[2], image=IMAGE
    )
    assert boxes.shape == variances.shape == (2, 2, 4, 4)
    np.testing.assert_allclose(boxes[0, 1, 0], [22 / 32, 6 / 32, 26 / 32, 10 / 32])
    np.testing.assert_allclose(variances[1, 1, 3], [0.1, 0.1, 0.2, 0.2])


def test_the_head_has_the_operators_of_1_8_5():
    maps, image = inputs()
    made = multi_box_head(maps, image, 32, 5, [[2.0], [2.0, 3.0], [2.0]], min_ratio=20, max_ratio=90, clip=True)
    assert [(var.name, var.shape, var.stop_gradient) for var in made] == [
        ("reshape2_0.tmp_0", (2, 368, 4), False),
        ("reshape2_1.tmp_0", (2, 368, 5), False),
        ("concat_0.tmp_0", (368, 4), True),
        ("concat_1.tmp_0", (368, 4), True),
    ]
    types = [line.split(":")[0] for line in operators()]
    a_map = ["prior_box", *["conv2d", "elementwise_add", "transpose2", "flatten2"] * 2]
    assert types == [*a_map * 3, *["flatten2"] * 6, "concat", "concat", *["concat", "reshape2"] * 2]
    priors = [op for op in default_main_program().global_block().ops if op.type == "prior_box"]
    assert [op.attr("min_sizes")[0] for op in priors] == pytest.approx([3.2, 6.4, 28.8])
    assert [op.attr("max_sizes")[0] for op in priors] == pytest.approx([6.4, 28.8, 51.2])


def test_the_head_with_sizes_and_steps_in_both_modes():
    def build(a, b, image):
        return multi_box_head(
            [a, b], image, 32, 5, [2.0, 3.0], min_sizes=[10.0, 20.0], max_sizes=[20.0, 30.0], steps=[4.0, 8.0],
            kernel_size=3, pad=1,
        )[2:]  # fmt: skip

    boxes, variances = both(build, a=MAPS[0], b=MAPS[1], image=IMAGE)
    assert boxes.shape == variances.shape == (320, 4)


def test_one_map_is_not_brought_together():
    maps, image = inputs()
    made = multi_box_head(maps[:1], image, 32, 5, [[2.0]], min_sizes=[4.0], max_sizes=[8.0])
    assert [var.shape for var in made] == [(2, 1024), (2, 1280), (8, 8, 4, 4), (8, 8, 4, 4)]


def test_wrong_arguments_are_named():
    maps, image = inputs()
    with pytest.raises(ArgumentError, match="min_sizes must have one entry for each of 2 inputs, got None"):
        multi_box_head(maps[:2], image, 32, 5, [2.0, 2.0], min_ratio=20, max_ratio=90)
    with pytest.raises(ArgumentError, match="min_ratio and max_ratio must be ints at least 1 apart, got None and 90"):
        multi_box_head(maps, image, 32, 5, [2.0] * 3, max_ratio=90)
    with pytest.raises(ArgumentError, match="3 inputs, but 2 aspect_ratios"):
        multi_box_head(maps, image, 32, 5, [2.0] * 2, min_ratio=20, max_ratio=90)
