"""paddle.dataset.uci_housing: scaled as Fluid scales, split 80 to 20."""

import io
import tarfile

import numpy as np
import pytest

import paddle
from refluid.data.datasets import uci_housing


@pytest.fixture
def table(home):
    table = np.random.RandomState(0).uniform(0, 100, (10, 14)).round(4)
    (home / "uci_housing").mkdir()
    np.savetxt(home / "uci_housing" / "housing.data", table, fmt="%9.4f")
    return table


def test_figures_are_scaled_and_prices_are_not(table):
    rows = [*paddle.dataset.uci_housing.train()(), *paddle.dataset.uci_housing.test()()]
    figures = table[:, :-1]
    expected = (figures - figures.mean(axis=0)) / (figures.max(axis=0) - figures.min(axis=0))
    assert [rows[0][0].shape, rows[0][1].shape, rows[0][0].dtype] == [(13,), (1,), np.float64]
    np.testing.assert_allclose(np.stack([x for x, _ in rows]), expected, atol=1e-12)
    assert np.array_equal(np.stack([y for _, y in rows]), table[:, -1:])
    assert len(list(paddle.dataset.uci_housing.test()())) == 2


def test_predict_reader_holds_the_first_district_held_out(table):
    (figures,) = paddle.dataset.uci_housing.predict_reader()
    assert np.array_equal(figures, next(iter(paddle.dataset.uci_housing.test()()))[0])


def test_a_program_may_write_into_its_samples(table):
    reader = paddle.dataset.uci_housing.train()
    for x, _ in reader():
        x[:] = 9
    assert max(x.max() for x, _ in reader()) < 9


def test_a_spoilt_table_is_named(home):
    (home / "uci_housing").mkdir()
    (home / "uci_housing" / "housing.data").write_text("1 2 3\n")
    with pytest.raises(ValueError, match="housing.data has 3 numbers, expected rows of 14"):
        paddle.dataset.uci_housing.train()


def test_the_stand_in_is_the_same_table_and_says_so_once(home, capsys):
    pytest.importorskip("mlxtend")
    train, test = list(paddle.dataset.uci_housing.train()()), list(paddle.dataset.uci_housing.test()())
    assert (len(train), len(test)) == (404, 102)
    # The first row as Fluid 1.8.5 gives it from the official file.
    np.testing.assert_allclose(train[0][0][:3], [-0.0405441, 0.06636364, -0.32356227], atol=1e-8)
    assert train[0][1].tolist() == [24.0]
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_table_of_ones_own_is_read_once(tmp_path, monkeypatch):
    monkeypatch.setattr(uci_housing, "_given", [])
    table = np.random.RandomState(1).uniform(0, 1, (10, 4)).round(4)
    np.savetxt(tmp_path / "own", table)
    paddle.dataset.uci_housing.load_data(str(tmp_path / "own"), feature_num=4, ratio=0.7)
    paddle.dataset.uci_housing.load_data("nowhere")  # Fluid: the first table stays
    rows = list(paddle.dataset.uci_housing.train()())
    assert len(rows) == 7 and rows[0][0].shape == (3,)
    assert [float(price[0]) for _, price in paddle.dataset.uci_housing.test()()] == table[7:, -1].tolist()


def test_ranges_are_drawn(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    paddle.dataset.uci_housing.feature_range(np.arange(13) + 1.0, np.zeros(13))
    assert (tmp_path / "image" / "ranges.png").read_bytes().startswith(b"\x89PNG")


def test_the_model_of_the_book_is_unpacked(home):
    (home / "uci_housing").mkdir()
    with tarfile.open(home / "uci_housing" / "fit_a_line.fluid.tar", "w") as tar:
        entry = tarfile.TarInfo("fit_a_line.fluid/__model__")
        entry.size = 5
        tar.addfile(entry, io.BytesIO(b"model"))
    folder = paddle.dataset.uci_housing.fluid_model()
    with open(f"{folder}/fit_a_line.fluid/__model__", "rb") as file:
        assert file.read() == b"model"
