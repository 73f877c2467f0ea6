"""Data sets of sentences, films and houses by index, on small files in the official formats."""

import numpy as np
import pytest
from tests.data import official

import paddle.fluid as fluid
from paddle.fluid.io import DataLoader
from paddle.incubate.hapi.datasets import VOC2012, WMT14, WMT16, Conll05st, Imdb, Imikolov, Movielens, UCIHousing
from refluid.data.datasets import bundled, common, movielens, uci_housing


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A cache folder of this test."""
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    for memory in (bundled.announce, uci_housing._tables, movielens._tables):
        memory.cache_clear()
    return tmp_path


def lists(sample):
    assert all(isinstance(field, np.ndarray) for field in sample)
    return tuple(field.tolist() for field in sample)


def elsewhere(home, name):
    """The archive in another folder than that of the cache."""
    (home / "mine").mkdir()
    path = home / "mine" / "archive"
    (home / name).rename(path)
    return str(path)


def test_reviews(home):
    official.imdb(home)
    train, test = Imdb(cutoff=1), Imdb(mode="test", cutoff=1)
    assert [lists(one) for one in train] == [([2, 1, 0, 2, 1, 4], [0]), ([1, 1, 5], [0]), ([2, 3, 0], [1])]
    assert train[0][0].dtype == train[0][1].dtype == np.int64
    assert len(test) == 3 and train.word_idx == test.word_idx and train.word_idx[b"good"] == 1
    path = elsewhere(home, "imdb/imdb%2FaclImdb_v1.tar.gz")
    assert [lists(one) for one in Imdb(path, "test", 1, download=False)] == [lists(one) for one in test]


def test_windows_and_sequences_of_words(home):
    official.imikolov(home)
    windows = Imikolov(window_size=3, min_word_freq=0)
    assert lists(windows[0]) == (1, 2, 5) and len(windows) == 10
    path = elsewhere(home, "imikolov/imikolov%2Fsimple-examples.tgz")
    short = Imikolov(path, "SEQ", 4, min_word_freq=0)
    assert [lists(one) for one in short] == [([1, 2, 6, 3], [2, 6, 3, 0]), ([1, 4], [4, 0])]
    assert len(Imikolov(path, "seq", mode="test", min_word_freq=0)) == 2
    pairs = Imikolov(path, window_size=2, mode="test", min_word_freq=0)
    with fluid.dygraph.guard():
        ((first, second),) = DataLoader(pairs, batch_size=7, return_list=True)
        assert first.numpy().tolist() == [1, 2, 7, 3, 1, 2, 5] and second.shape == [7]


def test_ratings_of_films(home):
    official.movielens(home)
    train, test = Movielens(), Movielens(mode="test")
    assert (len(train), len(test)) == (36, 4)
    assert lists(train[0]) == (1, 1, 0, 10, 1, [0, 1], [0, 1], [-3.0])
    path = elsewhere(home, "movielens/movielens%2Fml-1m.zip")
    assert len(Movielens(path, test_ratio=0.0)) == 40
    assert lists(Movielens(path)[0]) == lists(train[0])


def test_houses(home):
    train, test = UCIHousing(), UCIHousing(mode="test")
    figures, price = train[0]
    assert (len(train), len(test)) == (404, 102)
    assert figures.shape == (13,) and price.shape == (1,) and figures.dtype == price.dtype == np.float32
    path = home / "mine.data"
    path.write_text(" ".join(str(i * i % 17) for i in range(14 * 10)))
    assert (len(UCIHousing(str(path))), len(UCIHousing(str(path), "test"))) == (8, 2)


def test_french_and_english(home):
    official.wmt14(home)
    path = elsewhere(home, "wmt14/wmt14.tgz")
    train = WMT14(path, dict_size=6)
    assert lists(train[0]) == ([0, 3, 4, 1], [0, 3, 4], [3, 4, 1]) and len(train) == 2
    assert lists(WMT14(path, "gen", 6)[0]) == ([0, 5, 4, 1], [0, 5, 4], [5, 4, 1])
    assert train.get_dict()[1]["cat"] == 4 and train.get_dict(reverse=True)[1][4] == "cat"


def test_english_and_german(home):
    official.wmt16(home)
    assert lists(WMT16(src_dict_size=6, trg_dict_size=7)[1]) == ([0, 3, 4, 1], [0, 3, 4], [3, 4, 1])
    path = elsewhere(home, "wmt16/wmt16.tar.gz")
    german = WMT16(path, src_dict_size=6, trg_dict_size=7, lang="de")
    assert lists(german[0]) == ([0, 3, 4, 5, 2, 2, 1], [0, 3, 4, 5, 3, 6], [3, 4, 5, 3, 6, 1])
    assert len(german.get_dict("de")) == 6 and german.get_dict("en", reverse=True)[6] == "dog"
    assert sorted(one.name for one in (home / "mine").iterdir()) == ["archive"]


def test_who_does_what_to_whom(home):
    official.conll05(home)
    samples = Conll05st()
    assert len(samples) == 3 and lists(samples[0])[0] == [3, 4, 5, 0, 0, 6, 7]
    assert lists(samples[2])[6] == [0, 0]  # a verb that nobody knows
    assert all(field.dtype == np.int64 for sample in samples for field in sample)
    assert samples.get_dict()[1]["eat"] == 2 and samples.get_embedding().endswith("conll05st%2Femb")
    names = ["-tests.tar.gz", "%2FwordDict.txt", "%2FverbDict.txt", "%2FtargetDict.txt"]
    files = [str(home / "conll05st" / f"conll05st{name}") for name in names]
    given = Conll05st(*files, emb_file="emb", download=False)
    assert lists(given[1]) == lists(samples[1]) and given.get_embedding() == "emb"


def test_segmented_images(home):
    official.voc2012(home)
    images = VOC2012()
    image, classes = images[1]
    assert len(images) == 2 and image.shape == (2, 3, 3) and classes.tolist() == [[0, 1, 255], [2, 2, 0]]
    path = elsewhere(home, "voc2012/VOCtrainval_11-May-2012.tar")
    assert len(VOC2012(path, "valid")) == 1
    assert VOC2012(path, "test", transform=lambda one: one.shape)[0][0] == (2, 3, 3)


@pytest.mark.parametrize("make", [Imdb, Movielens, UCIHousing, VOC2012, lambda **more: WMT14(dict_size=5, **more)])
def test_files_that_are_not_there(make, home, monkeypatch):
    name = "WMT14" if not isinstance(make, type) else make.__name__
    with pytest.raises(ValueError, match=f"{name}: download=False, so data_file must be given"):
        make(download=False)
    with pytest.raises(RuntimeError, match=f"{name}: data_file: there is no file 'nowhere'"):
        make(data_file="nowhere")


@pytest.mark.parametrize(
    "make",
    [
        Imdb, Movielens, UCIHousing, VOC2012,
        lambda path: Imikolov(path, window_size=2),
        lambda path: WMT14(path, dict_size=3),
        lambda path: WMT16(path, src_dict_size=3, trg_dict_size=3),
        lambda path: Conll05st(path, path, path, path),
    ],
)  # fmt: skip
def test_files_that_are_something_else(make, tmp_path):
    path = tmp_path / "cat"
    path.write_text("meow")
    with pytest.raises(ValueError, match="/cat is (damaged|no table)"):
        make(str(path))


def test_without_a_network_the_place_for_the_file_is_told(home, monkeypatch):
    def unreachable(*args):
        raise OSError("no network")

    monkeypatch.setattr(common, "_fetch", unreachable)
    with pytest.raises(RuntimeError, match=r"Without a network: put the file of that address at .*imdb"):
        Imdb()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Imdb(mode="valid"), "Imdb: mode must be one of train, test, got 'valid'"),
        (lambda: Imikolov(), "Imikolov: window_size must be at least 1 for NGRAM, got -1"),
        (lambda: Imikolov(data_type="BAG"), "Imikolov: data_type must be 'NGRAM' or 'SEQ', got 'BAG'"),
        (lambda: Movielens(test_ratio=2), r"Movielens: test_ratio must lie in \[0, 1\], got 2"),
        (lambda: WMT14(), "WMT14: dict_size must be given, as an int of at least 1, got -1"),
        (lambda: WMT16(src_dict_size=3), "WMT16: trg_dict_size must be given, as an int of at least 1, got -1"),
        (lambda: Conll05st(data_file="x"), "Conll05st: data_file is given, so word_dict_file, .* must be too"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(ValueError, match=message):
        make()
