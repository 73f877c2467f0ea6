"""Functions of models of clicks."""

import numpy as np
import pytest
from tests.layers.modes import both, operators, ragged

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError
from refluid.layers import clicks


def test_shows_and_clicks_become_logarithms_or_go():
    x, counts = np.array([[3.0, 1.0, 5.0]], "float32"), np.array([[3.0, 1.0]], "float32")
    (found,) = both(lambda a, b: clicks.continuous_value_model(a, b), a=x, b=counts)
    np.testing.assert_allclose(found, [[np.log(4), np.log(2) - np.log(4), 5]], rtol=1e-6)
    (found,) = both(lambda a, b: clicks.continuous_value_model(a, b, use_cvm=False), a=x, b=counts)
    assert found.tolist() == [[5]]


def test_hashes_depend_on_the_whole_row():
    ids = ragged([[1, 2], [2, 1], [1, 2]], [1, 2], "int64")
    (found,) = both(lambda x: clicks.hash(x, 1000, 4), x=ids)
    assert found.shape == (3, 4, 1) and (found[0] == found[2]).all() and (found[0] != found[1]).any()
    assert found.min() >= 0 and found.max() < 1000
    with pytest.raises(ArgumentError, match="hash: num_hash must be a positive int, got 0"):
        clicks.hash(ids, 10, 0)


def test_instances_without_a_wanted_tag_go():
    rows = ragged(np.arange(12).reshape(6, 2), [2, 3, 1])
    tags, wanted = ragged([[1], [2], [3], [1], [5]], [1, 2, 2], "int64"), np.array([1])
    out, weight = both(lambda x, t, w: clicks.filter_by_instag(x, t, w, True), x=rows, t=tags, w=wanted)
    assert out.tolist() == [[0, 1], [2, 3], [10, 11]] and weight.tolist() == [[1], [1]]
    out, weight = both(lambda x, t, w: clicks.filter_by_instag(x, t, w, True, 7), x=rows, t=tags, w=np.array([9]))
    assert out.tolist() == [[7, 7]] and weight.tolist() == [[0]]


def test_names_are_those_of_fluid():
    x, counts = fluid.data("x", [-1, 5]), fluid.data("c", [-1, 2])
    clicks.continuous_value_model(x, counts)
    tags, wanted = fluid.data("t", [-1, 1], "int64", 1), fluid.data("w", [1], "int64")
    clicks.filter_by_instag(x, tags, wanted, True)
    assert operators() == [
        "cvm: x c -> _generated_var_0",
        "filter_by_instag: x t w -> filter_by_instag_0.tmp_0 filter_by_instag_0.tmp_1 filter_by_instag_0.tmp_2",
    ]
