"""The parsers of the data sets, on small files in the official formats. Values were seen in Fluid 1.8.5."""

import itertools
import re

import pytest
from tests.data import official

from paddle.dataset import cifar, common, conll05, imdb, imikolov, movielens, mq2007, sentiment, wmt14, wmt16
from refluid.data.datasets import common as folder, movielens as films, sentiment as reviews


@pytest.fixture(autouse=True)
def files(home):
    for memory in (films._tables, reviews._reviews, reviews._numbers):
        memory.cache_clear()
    return home


def test_imdb(home):
    official.imdb(home)
    every = re.compile(r"aclImdb/((train)|(test))/((pos)|(neg))/.*\.txt$")
    words = imdb.build_dict(every, 1)
    assert words == {b"film": 0, b"good": 1, b"a": 2, b"bad": 3, b"day": 4, b"fine": 5, "<unk>": 6}
    assert list(imdb.train(words)()) == [([2, 1, 0, 2, 1, 4], 0), ([1, 1, 5], 0), ([2, 3, 0], 1)]
    assert list(imdb.test(words)()) == [([5, 0], 0), ([3, 3, 4, 6], 1), ([0], 1)]
    assert next(imdb.tokenize(every))[:3] == [b"a", b"good", b"film"]
    assert imdb.word_dict() == {"<unk>": 0}


def test_imikolov(home):
    official.imikolov(home)
    words = imikolov.build_dict(0)
    assert words == {
        "<e>": 0, "<s>": 1, b"the": 2, b"sat": 3, b"a": 4, b"cat": 5, b"<unk>": 6, b"dog": 7, b"mat": 8, b"on": 9,
        "<unk>": 10,
    }  # fmt: skip
    assert imikolov.build_dict(1) == {"<e>": 0, "<s>": 1, b"the": 2, b"sat": 3, b"a": 4, b"cat": 5, "<unk>": 6}
    assert list(imikolov.train(words, 3)()) == [
        (1, 2, 5), (2, 5, 3), (5, 3, 9), (3, 9, 4), (9, 4, 8), (4, 8, 0), (1, 2, 6), (2, 6, 3), (6, 3, 0), (1, 4, 0),
    ]  # fmt: skip
    assert list(imikolov.test(words, 2)()) == [(1, 2), (2, 7), (7, 3), (3, 0), (1, 2), (2, 5), (5, 0)]
    short = [([1, 2, 6, 3], [2, 6, 3, 0]), ([1, 4], [4, 0])]
    assert list(imikolov.train(words, 4, imikolov.DataType.SEQ)()) == short
    assert list(imikolov.train(words, -1, imikolov.DataType.SEQ)())[1:] == short
    with pytest.raises(ValueError, match="data_type must be DataType.NGRAM or DataType.SEQ, got 9"):
        imikolov.train(words, 3, 9)


def test_movielens(home):
    official.movielens(home)
    train, test = list(movielens.train()()), list(movielens.test()())
    assert (len(train), len(test)) == (36, 4)
    assert train[:2] == [[1, 1, 0, 10, 1, [0, 1], [0, 1], [-3.0]], [2, 0, 6, 16, 2, [2], [2, 1], [-1.0]]]
    assert [(x[0], x[4], x[7]) for x in test] == [(3, 1, [5.0]), (1, 2, [-3.0]), (2, 1, [-1.0]), (2, 1, [5.0])]
    assert movielens.get_movie_title_dict() == {"toy": 0, "story": 1, "léon": 2}
    assert set(movielens.movie_categories()) == {"Comedy", "Drama", "Animation"}
    assert (movielens.max_movie_id(), movielens.max_user_id(), movielens.max_job_id()) == (2, 3, 16)
    assert str(movielens.user_info()[2]) == "<UserInfo id(2), gender(M), age(56), job(16)>"
    assert str(movielens.movie_info()[1]) == "<MovieInfo id(1), title(Toy Story ), categories(['Animation', 'Comedy'])>"
    assert movielens.age_table[6] == 56


def test_conll05(home):
    official.conll05(home)
    words, verbs, labels = conll05.get_dict()
    assert (words["mouse"], verbs) == (7, {"UNK": 0, "see": 1, "eat": 2})
    assert labels == {"B-A0": 0, "I-A0": 1, "B-A1": 2, "I-A1": 3, "B-V": 4, "I-V": 5, "O": 6}
    assert conll05.get_embedding().endswith("conll05st%2Femb")
    first, second, third = conll05.test()()
    assert first == (
        [3, 4, 5, 0, 0, 6, 7],
        *([i] * 7 for i in (3, 4, 5, 0, 0)),
        [1] * 7,
        [1, 1, 1, 1, 1, 0, 0],
        [0, 1, 4, 6, 6, 2, 3],
    )
    assert second[1:8] == (*([i] * 7 for i in (5, 0, 0, 6, 7)), [2] * 7, [0, 0, 1, 1, 1, 1, 1])
    assert third == (
        [8, 0], [1, 1], [8, 8], [0, 0], [2, 2], [2, 2], [None, None], [1, 1], [0, 4],
    )  # fmt: skip


def test_sentiment(home, monkeypatch):
    official.sentiment(home)
    monkeypatch.setattr(reviews, "NUM_TRAINING_INSTANCES", 4)
    words = sentiment.get_word_dict()
    assert [word for word, _ in words[:4]] == [",", "a", "film", "good"]
    assert [number for _, number in words] == list(range(len(words)))
    train, test = list(sentiment.train()()), list(sentiment.test()())
    assert [label for _, label in train] == [0, 1, 0, 1] and [label for _, label in test] == [0, 1]
    names = dict((number, word) for word, number in words)
    assert [names[i] for i in train[0][0]] == ["it", "'", "s", "a", "bad", "film", ",", "number", "0", "."]


def test_wmt14(home):
    official.wmt14(home)
    assert list(wmt14.train(6)()) == [
        ([0, 3, 4, 1], [0, 3, 4], [3, 4, 1]),
        ([0, 5, 2, 2, 1], [0, 5, 2, 2], [5, 2, 2, 1]),
    ]
    assert list(wmt14.test(6)()) == [([0, 3, 2, 1], [0, 3, 2], [3, 2, 1])]
    assert list(wmt14.gen(6)()) == [([0, 5, 4, 1], [0, 5, 4], [5, 4, 1])]
    assert wmt14.get_dict(6)[1] == {0: "<s>", 1: "<e>", 2: "<unk>", 3: "the", 4: "cat", 5: "a"}
    assert wmt14.get_dict(4, reverse=False)[0] == {"<s>": 0, "<e>": 1, "<unk>": 2, "le": 3}


def test_wmt16(home):
    official.wmt16(home)
    assert list(wmt16.train(6, 7)()) == [
        ([0, 3, 4, 5, 3, 2, 1], [0, 3, 4, 5, 6, 2], [3, 4, 5, 6, 2, 1]),
        ([0, 3, 4, 1], [0, 3, 4], [3, 4, 1]),
    ]
    assert list(wmt16.test(6, 7)()) == [([0, 3, 2, 1], [0, 6, 2], [6, 2, 1])]
    assert list(wmt16.validation(6, 7)()) == [([0, 2, 4, 1], [0, 2, 4], [2, 4, 1])]
    assert next(wmt16.train(6, 7, "de")()) == ([0, 3, 4, 5, 2, 2, 1], [0, 3, 4, 5, 3, 6], [3, 4, 5, 3, 6, 1])
    assert wmt16.get_dict("en", 6) == {"<s>": 0, "<e>": 1, "<unk>": 2, "the": 3, "cat": 4, "and": 5}
    assert wmt16.get_dict("de", 7, reverse=True)[6] == "der"
    assert (home / "wmt16" / "en_6.dict").read_text().split() == ["<s>", "<e>", "<unk>", "the", "cat", "and"]
    assert wmt16.get_dict("en", 99999)["dog"] == 6
    with pytest.raises(ValueError, match="the language must be 'en' or 'de', got 'fr'"):
        wmt16.train(6, 7, "fr")


def test_mq2007(home):
    official.mq2007(home)
    queries = mq2007.load_from_text("MQ2007/MQ2007/Fold1/train.txt")
    assert [(one.query_id, len(one)) for one in queries] == [(10, 3), (11, 1), (12, 2)]
    assert len(mq2007.query_filter(queries)) == 2
    pairs = list(mq2007.train())
    assert [(label.tolist(), round(left.sum(), 2), round(right.sum(), 2)) for label, left, right in pairs] == [
        ([1], 22.7, 22.55), ([1], 22.7, 21.85), ([1], 22.55, 21.85), ([1], 24.2, 23.9),
    ]  # fmt: skip
    scores, features = next(mq2007.test(format="listwise"))
    assert (scores.tolist(), features.shape) == ([[2], [1], [0]], (3, 46))
    assert [score for score, _ in mq2007.train(format="pointwise")] == [2, 1]
    assert [sample[:2] for sample in mq2007.train(format="plain_txt")] == [(10, 2), (12, 1)]
    assert str(queries[1][0]).startswith("0 11 0.5 0.5 ")


@pytest.mark.parametrize(
    ("use", "file"),
    [
        (cifar.train10, "cifar/cifar-10-python.tar.gz"),
        (lambda: imdb.train({"<unk>": 0}), "imdb/imdb%2FaclImdb_v1.tar.gz"),
        (imikolov.build_dict, "imikolov/imikolov%2Fsimple-examples.tgz"),
        (movielens.user_info, "movielens/movielens%2Fml-1m.zip"),
        (conll05.test, "conll05st/conll05st%2FwordDict.txt"),
        (sentiment.train, "corpora/movie_reviews.zip"),
        (lambda: wmt14.train(9), "wmt14/wmt14.tgz"),
        (lambda: wmt16.get_dict("en", 9), "wmt16/wmt16.tar.gz"),
        (lambda: next(mq2007.train()), "MQ2007/7b6dbbe2-842c-11e4-a536-bcaec51b9163_MQ2007.rar"),
    ],
)
def test_without_a_network_the_message_says_which_file_to_put_where(home, monkeypatch, use, file):
    def no_network(*args):
        raise OSError("no network")

    monkeypatch.setattr(folder, "_fetch", no_network)
    with pytest.raises(RuntimeError, match=f"(?s)no network.*put the file of that address at {home / file}"):
        use()


def test_a_damaged_archive_is_named(home):
    official.wmt14(home)
    path = home / "wmt14" / "wmt14.tgz"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match=f"{path} is damaged"):
        list(wmt14.train(6)())


def test_cifar(home):
    official.cifar(home)
    train = list(cifar.train10()())
    assert [label for _, label in train] == [3, 4, 1]  # the order of the archive
    assert train[0][0].shape == (3072,) and train[0][0].dtype == "float32"
    assert train[0][0][:2].tolist() == [0.003921568859368563, 0.007843137718737125]
    assert [label for _, label in cifar.test10()()] == [9, 8]
    assert [label for _, label in cifar.train100()()] == [42, 7]
    assert [label for _, label in cifar.test100()()] == [99]
    assert [label for _, label in itertools.islice(cifar.train10(cycle=True)(), 7)] == [3, 4, 1, 3, 4, 1, 3]
    assert common.DATA_HOME.endswith("dataset")
