import numpy as np
import pytest
from tests.layers.modes import both, declare, ragged, run, weights

from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers import image, pad, parametric, resize

IMAGE = np.random.RandomState(0).rand(2, 4, 6, 6).astype("float32")


def test_resizing_by_numbers_and_by_a_factor():
    nearest, bilinear, doubled = both(
        lambda x: [
            resize.resize_nearest(x, out_shape=[3, 3], align_corners=False),
            resize.image_resize(x, out_shape=[11, 11]),
            resize.resize_bilinear(x, scale=2.0, align_mode=0),
        ],
        x=IMAGE,
    )
    np.testing.assert_array_equal(nearest, IMAGE[:, :, ::2, ::2])
    np.testing.assert_allclose(bilinear[:, :, ::2, ::2], IMAGE, rtol=1e-5)  # the corners lie on each other
    assert doubled.shape == (2, 4, 12, 12)


def test_sizes_may_be_variables():
    one, whole = np.array([5], "int32"), np.array([5, 7], "int32")
    mixed, given = both(
        lambda x, one, whole: [resize.image_resize(x, [one, 7]), resize.image_resize(x, whole)],
        x=IMAGE, one=one, whole=whole,
    )  # fmt: skip
    np.testing.assert_array_equal(mixed, given)
    assert mixed.shape == (2, 4, 5, 7)


def test_the_short_side_decides():
    wide = np.ones((1, 1, 4, 6), "float32")
    assert both(lambda x: resize.image_resize_short(x, 8), x=wide)[0].shape == (1, 1, 8, 12)
    volume = np.ones((1, 1, 2, 4, 6), "float32")
    assert both(lambda x: resize.resize_trilinear(x, [4, 4, 4]), x=volume)[0].shape == (1, 1, 4, 4, 4)


def test_an_identity_grid_samples_the_image_itself():
    theta = np.tile(np.eye(2, 3, dtype="float32"), (2, 1, 1))
    (out,) = both(lambda x, theta: image.grid_sampler(x, image.affine_grid(theta, [2, 4, 6, 6])), x=IMAGE, theta=theta)
    np.testing.assert_allclose(out, IMAGE, rtol=1e-4, atol=1e-5)


def test_channels_and_pixels_change_places():
    depth, pixels, mixed, largest = both(
        lambda x: [f(x, 2) for f in (image.space_to_depth, image.pixel_shuffle, image.shuffle_channel, image.maxout)],
        x=IMAGE,
    )
    assert depth.shape == (2, 16, 3, 3) and pixels.shape == (2, 1, 12, 12)
    np.testing.assert_array_equal(mixed, IMAGE[:, [0, 2, 1, 3]])
    np.testing.assert_array_equal(largest, IMAGE.reshape(2, 2, 2, 6, 6).max(2))


def test_windows_as_columns_and_as_sequences():
    columns, rows = both(lambda x: [image.unfold(x, 2, 2), image.im2sequence(x, 2, 2)], x=IMAGE)
    np.testing.assert_allclose(columns.transpose(0, 2, 1).reshape(18, 16), rows)
    assert image.im2sequence(*declare(x=IMAGE), 2).lod_level == 1


def test_padding_and_cropping_undo_each_other():
    whole, part, same = both(
        lambda x: [
            padded := pad.pad2d(x, [1, 2, 3, 0], pad_value=9.0),
            pad.crop_tensor(padded, [-1, 4, 6, 6], [0, 0, 1, 3]),
            pad.crop(padded, [2, 4, 6, 6], [0, 0, 1, 3]),
        ],
        x=IMAGE,
    )
    assert whole.shape == (2, 4, 9, 9) and (whole[:, :, 0] == 9).all()
    np.testing.assert_array_equal(part, IMAGE)
    np.testing.assert_array_equal(same, IMAGE)
    (wide,) = both(lambda x: pad.pad(x, [0, 0, 1, 0, 0, 0, 0, 0], 5.0), x=IMAGE)
    np.testing.assert_array_equal(wide[:, 1:], IMAGE)
    (like,) = both(lambda x, y: pad.pad_constant_like(x, y, 5.0), x=IMAGE, y=IMAGE[:, :3])
    np.testing.assert_array_equal(like[:, :3], IMAGE[:, :3])


def test_a_part_of_a_size_that_only_a_variable_knows():
    one = np.array([3], "int32")
    (part,) = both(lambda x, one: pad.crop_tensor(x, [2, 4, one, -1], [0, 0, one, 2]), x=IMAGE, one=one)
    np.testing.assert_array_equal(part, IMAGE[:, :, 3:6, 2:])


def test_random_crops_move_on_from_their_seed():
    (x,) = declare(x=IMAGE)
    out = pad.random_crop(x, [4, 3, 3], seed=5)
    assert out.shape == (-1, 4, 3, 3)
    first, again, second = (np.array(run([out], runs, x=IMAGE)[0]) for runs in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)


def test_parametric_functions_in_both_modes():
    rows = np.random.RandomState(1).rand(2, 4).astype("float32") - 0.5
    bent, product = both(
        lambda x: [parametric.prelu(x, "all"),
                   parametric.bilinear_tensor_product(x, x, 3, param_attr=weights(), act="tanh")],
        x=rows,
    )  # fmt: skip
    np.testing.assert_allclose(bent, np.where(rows > 0, rows, 0.25 * rows), rtol=1e-6)
    assert product.shape == (2, 3)
    sequence = ragged([[1.0], [2.0], [4.0]], [2, 1])
    (ahead,) = both(lambda x: parametric.row_conv(x, 1, param_attr=weights()), x=sequence)
    np.testing.assert_allclose(ahead[1] / 2, ahead[2] / 4, rtol=1e-5)  # the end of a sequence sees nothing beyond


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: resize.image_resize(x, [2, 2], resample="CUBIC"), ArgumentError, "resample must be one of 'LINEAR'"),
        (lambda x: resize.image_resize(x), ArgumentError, "image_resize: out_shape or scale must be given"),
        (lambda x: resize.image_resize(x, [2]), ArgumentError, r"image_resize: out_shape must have 2 sizes, got \[2\]"),
        (lambda x: resize.image_resize(x, scale=-1.0), ArgumentError, "scale must be a positive number or a variable"),
        (lambda x: resize.resize_trilinear(x, [2, 2, 2]), ShapeError, "image_resize: TRILINEAR takes 5 axes, got x"),
        (lambda x: pad.pad2d(x, mode="wrap"), ArgumentError, "pad2d: mode must be 'constant', 'reflect' or 'edge'"),
        (lambda x: pad.crop_tensor(x, [1, 2]), ArgumentError, "crop_tensor: shape must have 4 numbers, as many as x"),
        (lambda x: image.maxout(x, 2, axis=2), ArgumentError, "maxout: axis must be 1, -1 or 3, got 2"),
        (
            lambda x: image.affine_grid(x, [1, 2]),
            ArgumentError,
            r"affine_grid: out_shape must be \[N, C, H, W\] or a var",
        ),
        (lambda x: image.similarity_focus(x, 0, [1]), ArgumentError, "similarity_focus: axis must be 1, 2 or 3, got 0"),
        (lambda x: parametric.prelu(x, "row"), ArgumentError, "prelu: mode must be 'all', 'channel' or 'element'"),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call(*declare(x=IMAGE))
