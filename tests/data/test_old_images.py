"""paddle.utils.image_util: pictures of PaddlePaddle's first examples."""

import io

import numpy as np
import pytest
from PIL import Image

from paddle.utils import image_util


def test_pictures_are_cut_in_the_middle_or_at_random():
    im = np.arange(3 * 4 * 6, dtype="float32").reshape(3, 4, 6)
    assert np.array_equal(image_util.crop_img(im, 2), im[:, 1:3, 2:4])
    assert image_util.crop_img(im, 5).shape == (3, 5, 5) and image_util.crop_img(im, 5)[0, 4].sum() == 0
    assert image_util.crop_img(im[0], 2, color=False, test=False).shape == (2, 2)
    row = image_util.preprocess_img(im, np.ones((3, 2, 2)), 2, is_train=False)
    assert np.array_equal(row, im[:, 1:3, 2:4].flatten() - 1)


def test_pictures_are_resized_decoded_and_loaded(tmp_path):
    picture = Image.fromarray(np.zeros((4, 8, 3), "uint8"))
    assert image_util.resize_image(picture, 2).size == (4, 2)
    file = io.BytesIO()
    picture.save(file, "PNG")
    assert image_util.decode_jpeg(file.getvalue()).shape == (3, 4, 8)
    picture.save(tmp_path / "a.png")
    assert image_util.load_image(str(tmp_path / "a.png")).size == (8, 4)
    np.savez(tmp_path / "mean.npz", data_mean=np.arange(3 * 16, dtype="float32"))
    assert image_util.load_meta(str(tmp_path / "mean.npz"), 4, 2).shape == (3, 2, 2)
    with pytest.raises(ValueError, match=r"has 48 numbers, expected \[3, 5, 5\]"):
        image_util.load_meta(str(tmp_path / "mean.npz"), 5, 2)


def test_ten_parts_are_taken_of_a_picture():
    im = np.arange(4 * 4, dtype="float32").reshape(4, 4, 1)
    parts = image_util.oversample([im], (2, 2))
    assert parts.shape == (10, 2, 2, 1) and parts[4].flatten().tolist() == [5, 6, 9, 10]
    assert np.array_equal(parts[5:], parts[:5, :, ::-1])


def test_pictures_are_turned_and_freed_from_their_mean():
    made = image_util.ImageTransformer(transpose=(2, 0, 1), channel_swap=(2, 1, 0), mean=np.array([1.0, 2.0, 3.0]))
    assert made.transformer(np.full((1, 1, 3), 3.0)).flatten().tolist() == [2.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="channel_swap must have three numbers"):
        image_util.ImageTransformer(channel_swap=(1, 0))
