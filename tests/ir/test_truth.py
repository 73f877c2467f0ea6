"""The truth of a variable, and the array that numpy makes of it: those of any Python object."""

import numpy as np
import pytest

import paddle.fluid as fluid


def test_a_variable_is_true():
    x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 4])
    assert x and (x or y) is x and (x and y) is y
    assert bool(fluid.layers.less_than(x, y))


def test_a_while_on_a_variable_is_a_warning():
    x = fluid.data("x", [None, 4])
    rounds = 0
    with pytest.warns(UserWarning, match="`while` tests x, a variable of the static mode") as given:
        while x:
            rounds += 1
            if rounds == 3:
                break
    assert len(given) == 1 and given[0].filename == __file__


def test_numpy_takes_a_variable_for_any_object():
    x = fluid.data("x", [None, 4])
    assert np.array(x).dtype == object and np.array(x).item() is x
    assert np.array([x, x]).shape == (2,)
    with pytest.raises(TypeError, match="x is a variable of the static mode"):
        np.array(x, "float32")
