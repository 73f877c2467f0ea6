"""Curves of a training."""

import sys

import numpy as np
import pytest
from PIL import Image

from paddle.utils.plot import Ploter
from refluid.core.errors import ArgumentError, NotFoundError

pytest.importorskip("matplotlib")


def test_curves_are_drawn_into_a_file(tmp_path):
    curves = Ploter("train cost", "test cost")
    empty, full = tmp_path / "empty.png", tmp_path / "full.png"
    curves.plot(str(empty))
    for step in range(5):
        curves.append("train cost", step, 1.0 / (step + 1))
    curves.plot(str(full))
    curves.reset()
    curves.plot(str(tmp_path / "again.png"))
    one, two, three = (np.asarray(Image.open(tmp_path / name)) for name in ("empty.png", "full.png", "again.png"))
    assert (one != two).any() and (one == three).all()


def test_nothing_is_drawn_where_that_is_disabled(tmp_path, monkeypatch):
    monkeypatch.setenv("DISABLE_PLOT", "True")
    Ploter("cost").plot(str(tmp_path / "curve.png"))
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(NotFoundError, match=r"Ploter.plot: .* pip install 'refluid\[viz\]'"):
        Ploter("cost").plot(str(tmp_path / "curve.png"))


def test_an_unknown_title_is_refused():
    with pytest.raises(ArgumentError, match=r"Ploter.append: title must be one of \['cost'\], got 'loss'"):
        Ploter("cost").append("loss", 1, 2.0)
