import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, weights

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ir.program import default_main_program
from refluid.layers.conv import conv2d
from refluid.layers.conv_transpose import conv2d_transpose, conv3d_transpose
from refluid.layers.deformable import deformable_conv
from refluid.layers.pool import adaptive_pool2d, adaptive_pool3d, pool2d

IMAGE = np.random.RandomState(0).rand(2, 4, 6, 6).astype("float32")


def test_transposed_convolution_undoes_the_size_of_a_convolution_in_both_modes():
    (out,) = both(lambda x: conv2d_transpose(conv2d(x, 3, 3, 2, param_attr=weights()), 4, 6, stride=2,
                                             param_attr=weights(2), act="relu"), x=IMAGE)  # fmt: skip
    assert out.shape == (2, 4, 6, 6) and out.min() == 0


def test_output_size_alone_decides_the_filter():
    (x,) = declare(x=IMAGE)
    out = conv2d_transpose(x, 3, output_size=[12, 13], stride=2)
    assert out.shape == (-1, 3, 12, 13)
    assert default_main_program().global_block().var("conv2d_transpose_0.w_0").shape == (4, 3, 2, 3)


def test_depthwise_operators_are_named_as_in_fluid():
    (x,) = declare(x=IMAGE)
    conv2d(x, 8, 3, groups=4, use_cudnn=False, bias_attr=False)
    conv2d_transpose(x, 4, filter_size=3, groups=4, use_cudnn=False, bias_attr=False)
    assert operators() == [
        "depthwise_conv2d: x depthwise_conv2d_0.w_0 -> depthwise_conv2d_0.tmp_0",
        "depthwise_conv2d_transpose: x depthwise_conv2d_transpose_0.w_0 -> depthwise_conv2d_transpose_0.tmp_0",
    ]


def test_channels_last_gives_the_transposed_result():
    (first,) = both(lambda x: conv2d_transpose(x, 3, filter_size=3, padding=[1, 0], param_attr=weights()), x=IMAGE)
    (last,) = both(
        lambda x: conv2d_transpose(x, 3, filter_size=3, padding=[1, 0], param_attr=weights(), data_format="NHWC"),
        x=IMAGE.transpose(0, 2, 3, 1).copy(),
    )
    np.testing.assert_allclose(last.transpose(0, 3, 1, 2), first, rtol=1e-5, atol=1e-6)


def test_deformable_convolution_with_no_offsets_is_a_convolution():
    still, full = np.zeros((2, 18, 6, 6), "float32"), np.ones((2, 9, 6, 6), "float32")
    moved, plain = both(
        lambda x, offset, mask: [
            deformable_conv(x, offset, mask, 5, 3, padding=1, param_attr=weights()),
            conv2d(x, 5, 3, padding=1, param_attr=weights()),
        ],
        x=IMAGE, offset=still, mask=full,
    )  # fmt: skip
    np.testing.assert_allclose(moved, plain, rtol=1e-4, atol=1e-5)


def test_adaptive_pooling_in_both_modes():
    largest, places, mean = both(lambda x: [*adaptive_pool2d(x, 2, require_index=True), adaptive_pool2d(x, 2, "avg")],
                                 x=IMAGE)  # fmt: skip
    np.testing.assert_array_equal(largest[0, 0], IMAGE[0, 0].reshape(2, 3, 2, 3).max((1, 3)))
    np.testing.assert_allclose(mean[0, 0], IMAGE[0, 0].reshape(2, 3, 2, 3).mean((1, 3)), rtol=1e-6)
    assert np.array_equal(IMAGE.reshape(2, 4, -1)[1, 3][places[1, 3].astype(int)], largest[1, 3])
    assert both(lambda x: adaptive_pool3d(x, 2, "avg"), x=IMAGE.reshape(2, 1, 4, 6, 6))[0].shape == (2, 1, 2, 2, 2)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: conv2d_transpose(x, 3), ArgumentError, "conv2d_transpose: filter_size or output_size must be given"),
        (
            lambda x: conv3d_transpose(x, 3, filter_size=2),
            ShapeError,
            r"conv3d_transpose: input must have 5 axes, got x",
        ),
        (lambda x: conv2d(x, 6, 3, groups=3), ShapeError, "groups=3 must divide the 4 channels and 6 filters"),
        (lambda x: conv2d(x, 0, 3), ArgumentError, "conv2d: num_filters must be a positive int, got 0"),
        (
            lambda x: conv2d(x, 2, 3, padding="FULL"),
            ArgumentError,
            "conv2d: padding must be numbers, 'SAME' or 'VALID'",
        ),
        (
            lambda x: conv2d(x, 2, 3, data_format="CHW"),
            ArgumentError,
            "data_format must be 'NCHW' or 'NHWC', got 'CHW'",
        ),
        (lambda x: pool2d(x, 2, "sum"), ArgumentError, "pool2d: pool_type must be 'max' or 'avg', got 'sum'"),
        (lambda x: pool2d(x), ArgumentError, "pool2d: pool_size must be given unless global_pooling=True"),
        (
            lambda x: adaptive_pool2d(x, 2, "avg", True),
            ArgumentError,
            "adaptive_pool2d: require_index=True needs pool_type='max'",
        ),
        (lambda x: deformable_conv(x, x, None, 3, 3), ArgumentError, "deformable_conv: mask must be given"),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call(*declare(x=IMAGE))
