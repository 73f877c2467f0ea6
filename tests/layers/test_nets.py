import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, ragged, weights

from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers.nets import (
    glu,
    img_conv_group,
    scaled_dot_product_attention,
    sequence_conv_pool,
    simple_img_conv_pool,
)

IMAGE = np.random.RandomState(0).rand(2, 3, 8, 8).astype("float32")
STEPS = np.random.RandomState(1).rand(2, 4, 6).astype("float32")


def test_convolution_and_pooling_in_both_modes():
    one, group = both(
        lambda x: [
            simple_img_conv_pool(x, 5, 3, 2, 2, act="relu", param_attr=weights()),
            img_conv_group(x, [4, 6], 2, pool_stride=2, param_attr=weights(), conv_with_batchnorm=True),
        ],
        x=IMAGE,
    )
    assert one.shape == (2, 5, 3, 3) and group.shape == (2, 6, 4, 4)


def test_a_group_has_normalisation_and_dropout_where_asked():
    img_conv_group(*declare(x=IMAGE), [4, 6], 2, conv_act="relu", conv_with_batchnorm=[True, False],
                   conv_batchnorm_drop_rate=[0.3, 0.0])  # fmt: skip
    assert [line.split(":")[0] for line in operators()] == [
        "conv2d", "elementwise_add", "batch_norm", "relu", "dropout", "conv2d", "elementwise_add", "relu", "pool2d"
    ]  # fmt: skip


def test_a_vector_for_every_sequence():
    sequence = ragged(np.ones((5, 3)), [2, 3])
    (out,) = both(lambda x: sequence_conv_pool(x, 4, 3, param_attr=weights(), pool_type="sqrt"), x=sequence)
    assert out.shape == (2, 4)


def test_a_gate_takes_one_half_to_open_the_other():
    (out,) = both(lambda x: glu(x, dim=-1), x=STEPS)
    np.testing.assert_allclose(out, STEPS[..., :3] / (1 + np.exp(-STEPS[..., 3:])), rtol=1e-5)


def test_attention_of_one_head_is_a_weighted_mean():
    q, k, v = STEPS, STEPS[::-1].copy(), STEPS * 2
    (out,) = both(scaled_dot_product_attention, q=q, k=k, v=v)
    weight = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(6))
    np.testing.assert_allclose(out, weight / weight.sum(-1, keepdims=True) @ v, rtol=1e-4)


def test_attention_of_several_heads_keeps_the_shape():
    (x,) = declare(x=STEPS)
    assert scaled_dot_product_attention(x, x, x, num_heads=3, dropout_rate=0.1).shape == (-1, 4, 6)


def test_refusals():
    (x,) = declare(x=STEPS)
    (y,) = declare(y=STEPS[:, :, :4].copy())
    with pytest.raises(ShapeError, match="scaled_dot_product_attention: queries have the width 6, but keys 4"):
        scaled_dot_product_attention(x, y, y)
    with pytest.raises(ShapeError, match="num_heads=4 must divide the widths of keys"):
        scaled_dot_product_attention(x, x, x, num_heads=4)
    with pytest.raises(ArgumentError, match="img_conv_group: 2 convolutions, but 3 conv_padding"):
        img_conv_group(x, [4, 6], 2, conv_padding=[1, 1, 1])
