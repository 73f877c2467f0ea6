"""paddle.declarative: a weight of the caller's, or parameters of its own; the call tells."""

import numpy as np
from tests.layers.modes import both, declare, operators, weights

import paddle
from refluid.params.attr import ParamAttr

IMAGES = np.random.RandomState(1).rand(2, 3, 6, 6).astype("float32")
ROWS = np.random.RandomState(2).rand(4, 5).astype("float32")


def test_conv2d_makes_its_parameters_unless_it_is_given_a_weight():
    (x,) = declare(x=IMAGES)
    own = paddle.declarative.conv2d(x, num_filters=4, filter_size=3)
    weight = paddle.declarative.create_parameter([4, 3, 3, 3], "float32")
    given = paddle.declarative.conv2d(x, weight, padding=1)
    named = paddle.declarative.conv2d(input=x, weight=weight, stride=2)
    assert [var.shape[1:] for var in (own, given, named)] == [(4, 4, 4), (4, 6, 6), (4, 2, 2)]
    assert "conv2d: x conv2d_0.w_0 -> conv2d_0.tmp_0" in operators()


def test_both_spellings_give_one_result_in_both_modes():
    def build(x):
        attr = ParamAttr(name="w", initializer=weights())
        made = paddle.declarative.conv2d(x, 4, 3, param_attr=attr, bias_attr=False)
        attr = ParamAttr(name="v", initializer=weights())
        weight = paddle.declarative.create_parameter([4, 3, 3, 3], "float32", attr=attr)
        return [made, paddle.declarative.conv2d(x, weight)]

    made, given = both(build, x=IMAGES)
    np.testing.assert_allclose(made, given, rtol=1e-5, atol=1e-6)


def test_functions_that_make_parameters_in_both_modes():
    def build(x, rows, label):
        attr = ParamAttr(initializer=weights())
        return [
            paddle.declarative.fc(rows, 3, param_attr=attr),
            paddle.declarative.layer_norm(rows),
            paddle.declarative.prelu(x, "all"),
            paddle.declarative.batch_norm(x, is_test=True),
            paddle.declarative.instance_norm(x),
            paddle.declarative.group_norm(x, groups=3),
            paddle.declarative.embedding(label, [10, 3], param_attr=attr),
            paddle.declarative.conv3d(paddle.unsqueeze(x, 1), 2, 2, param_attr=attr),
            paddle.declarative.conv2d_transpose(x, 2, filter_size=2, param_attr=attr),
            paddle.declarative.bilinear_tensor_product(rows, rows, 3, param_attr=attr),
            paddle.declarative.hsigmoid(rows, label, 10, param_attr=attr),
        ]

    label = np.array([[1], [2], [3], [9]], "int64")
    shapes = [out.shape for out in both(build, x=IMAGES, rows=ROWS, label=label)]
    assert shapes == [
        (4, 3), (4, 5), (2, 3, 6, 6), (2, 3, 6, 6), (2, 3, 6, 6), (2, 3, 6, 6), (4, 1, 3), (2, 2, 2, 5, 5),
        (2, 2, 7, 7), (4, 3), (4, 1),
    ]  # fmt: skip


def test_hsigmoid_with_a_weight():
    rows, label = declare(rows=ROWS, label=np.zeros((4, 1), "int64"))
    weight = paddle.create_parameter([9, 5], "float32")
    bias = paddle.create_parameter([9, 1], "float32", is_bias=True)
    assert paddle.declarative.hsigmoid(rows, label, weight, bias, 10).shape == (-1, 1)


def test_row_conv_with_and_without_a_weight():
    (x,) = declare(x=np.zeros((2, 4, 5), "float32"))
    assert paddle.declarative.row_conv(x, 2).shape == (-1, 4, 5)
    weight = paddle.create_parameter([3, 5], "float32")
    assert paddle.declarative.row_conv(x, weight).shape == (-1, 4, 5)
