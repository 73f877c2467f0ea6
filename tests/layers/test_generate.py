"""Layer functions made from the descriptions of operators."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.layers.layer_function_generator import (
    autodoc,
    deprecated,
    escape_math,
    generate_activation_fn,
    generate_layer_fn,
    templatedoc,
)


def test_a_layer_is_made_of_an_operator_with_one_result():
    hard_sigmoid = generate_layer_fn("hard_sigmoid")
    assert hard_sigmoid.__name__ == "hard_sigmoid" and "slope: float." in hard_sigmoid.__doc__
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [2])
        by_order, by_name = hard_sigmoid(x, slope=0.5), hard_sigmoid(x=x, slope=0.5, act="relu")
        found = fluid.Executor().run(feed={"x": np.array([0, 1], "float32")}, fetch_list=[by_order, by_name])
    assert [value.tolist() for value in found] == [[0.5, 1.0], [0.5, 1.0]]
    with pytest.raises(ValueError, match="generate_layer_fn: split has results"):
        generate_layer_fn("split")


def test_an_activation_is_made_in_both_modes():
    relu = generate_activation_fn("relu")
    with fluid.dygraph.guard():
        assert relu(fluid.dygraph.to_variable(np.array([-1, 2], "float32"))).numpy().tolist() == [0, 2]


def test_docstrings_are_filled_in():
    @templatedoc(op_type="scale")
    def my_scale(x, scale):
        """${comment}; x is a ${x_type}, scale a ${scale_type}, ${other}."""

    assert "x is a Variable, scale a float, ${other}." in my_scale.__doc__

    @autodoc(" More.")
    def relu(x): ...

    assert relu.__doc__.endswith(" More.") and "x: a variable." in relu.__doc__
    assert escape_math("$a$ and $$b$$") == ":math:`a` and $$b$$"


def test_a_function_that_is_old_warns():
    @deprecated
    def old():
        return 1

    with pytest.warns(DeprecationWarning, match="old is deprecated"):
        assert old() == 1
