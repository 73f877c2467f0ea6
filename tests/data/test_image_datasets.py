"""Images: helpers, flowers, VOC 2012. Numbers were seen in Fluid 1.8.5, whose OpenCV differs by a level at most."""

import numpy as np
import pytest
from tests.data import official

from paddle.dataset import flowers, image, voc2012

SMALL = np.arange(5 * 4 * 3).reshape(5, 4, 3).astype("uint8")


def test_loading(tmp_path):
    path = tmp_path / "x.png"
    path.write_bytes(official.image(6, 5))
    colour = image.load_image(str(path))
    assert colour.shape == (5, 6, 3) and int(colour.sum()) == 7776
    assert colour[0, :2].ravel().tolist() == [0, 0, 0, 1, 0, 51]  # blue, green, red
    assert np.array_equal(colour, image.load_image_bytes(path.read_bytes()))
    grey = image.load_image(str(path), is_color=False)
    assert grey.shape == (5, 6) and np.abs(grey[0, :4].astype(int) - [0, 15, 30, 46]).max() <= 1


def test_cropping_and_mirroring():
    assert image.to_chw(SMALL).shape == (3, 5, 4)
    assert int(image.center_crop(SMALL, 3).sum()) == 756
    assert image.left_right_flip(SMALL).ravel()[:4].tolist() == [9, 10, 11, 6]
    assert image.left_right_flip(SMALL[:, :, 0], False)[0].tolist() == [9, 6, 3, 0]
    np.random.seed(0)
    assert image.random_crop(SMALL, 2).ravel()[:4].tolist() == [3, 4, 5, 6]
    with pytest.raises(ValueError, match=r"9 pixels are more than an image of shape \(5, 4, 3\) has"):
        image.center_crop(SMALL, 9)


def test_resizing():
    resized = image.resize_short(SMALL, 8)
    assert resized.shape == (10, 8, 3) and resized.dtype == "uint8"
    assert abs(int(resized.sum()) - 7084) < 40
    assert image.resize_short(SMALL[:, :, 0], 2).shape == (2, 2)
    assert np.array_equal(image.resize_short(SMALL, 4), SMALL)


def test_transforming():
    tested = image.simple_transform(SMALL, 4, 3, False, mean=[1.0, 2.0, 3.0])
    assert tested.dtype == "float32" and tested.ravel()[:4].tolist() == [11, 14, 17, 23] and tested.sum() == 702
    np.random.seed(1)
    assert image.simple_transform(SMALL, 4, 3, True).ravel()[:4].tolist() == [21, 18, 15, 33]


def test_flowers(home):
    official.flowers(home)
    train = list(flowers.train(use_xmap=False)())
    assert [label for _, label in train] == [7, 76]
    assert train[0][0].shape == (3 * 224 * 224,) and train[0][0].dtype == "float32"
    ((test, label),) = flowers.test()()
    assert label == 6 and np.abs(test[:4] - [-59.94, -58.94, -58.94, -57.94]).max() < 3
    assert abs(test.mean() - 1832452.5 / 150528) < 0.5
    assert [label for _, label in flowers.valid()()] == [101]
    assert sorted(label for _, label in flowers.train()()) == [7, 76]
    assert next(flowers.train(mapper=lambda sample: sample, use_xmap=False, cycle=True)())[1] == 7


def test_voc2012(home):
    official.voc2012(home)
    for reader, count in ((voc2012.train, 2), (voc2012.test, 1), (voc2012.val, 1)):
        samples = list(reader()())
        assert len(samples) == count
        pixels, classes = samples[0]
        assert pixels.shape == (2, 3, 3) and classes.tolist() == [[0, 1, 255], [2, 2, 0]]
