"""paddle.dataset.uci_housing: scaled as Fluid scales, split 80 to 20."""

import numpy as np
import pytest

import paddle


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
