"""Switching the imperative mode on and off."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError


def test_the_mode_is_on_inside_the_guard_only():
    assert not fluid.dygraph.enabled() and not fluid.in_dygraph_mode()
    with fluid.dygraph.guard(fluid.CPUPlace()):
        assert fluid.dygraph.enabled() and fluid.in_dygraph_mode()
    assert not fluid.dygraph.enabled()


def test_the_guard_ends_with_an_exception_too():
    with pytest.raises(KeyError), fluid.dygraph.guard():
        raise KeyError
    assert not fluid.dygraph.enabled()


def test_names_count_afresh_in_every_guard():
    names = []
    for _ in range(2):
        with fluid.dygraph.guard():
            names.append([fluid.dygraph.Linear(2, 2).weight.name for _ in range(2)])
            with fluid.dygraph.guard():
                assert fluid.dygraph.Linear(2, 2).weight.name == "linear_0.w_0"
    assert names == [["linear_0.w_0", "linear_1.w_0"]] * 2


def test_nothing_is_recorded_into_the_program_outside():
    with fluid.dygraph.guard():
        fluid.layers.relu(fluid.dygraph.to_variable(np.ones(2, np.float32)))
    assert fluid.default_main_program().global_block().ops == []


def test_a_seed_holds_inside_its_guard():
    def draw(seed):
        with fluid.dygraph.guard():
            if seed:
                fluid.default_main_program().random_seed = seed
                fluid.default_startup_program().random_seed = seed
            layer = fluid.dygraph.Linear(3, 3)
            x = fluid.layers.dropout(fluid.dygraph.to_variable(np.ones(50, np.float32)), 0.5)
            return np.concatenate([layer.weight.numpy().ravel(), x.numpy()])

    assert np.array_equal(draw(3), draw(3))
    assert not np.array_equal(draw(3), draw(4))
    assert not np.array_equal(draw(None), draw(None))


def test_enable_and_disable_switch_without_a_guard():
    fluid.enable_dygraph()
    try:
        assert fluid.in_dygraph_mode()
        fluid.enable_dygraph()
    finally:
        fluid.disable_dygraph()
    assert not fluid.in_dygraph_mode()
    fluid.disable_dygraph()
    with fluid.dygraph.guard():
        fluid.disable_dygraph()  # undoes enable_dygraph alone
        assert fluid.in_dygraph_mode()


def test_to_variable_outside_says_where_to_call_it():
    with pytest.raises(
        ArgumentError, match="to_variable: the imperative mode is off; call it inside fluid.dygraph.guard"
    ):
        fluid.dygraph.to_variable(np.ones(2))


def test_to_variable_copies_and_keeps_the_dtype():
    array = np.ones(2, np.float64)
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(array)
        array[:] = 5
        assert x.numpy().tolist() == [1, 1] and x.dtype == fluid.core.VarDesc.VarType.FP64
        assert fluid.dygraph.to_variable(x) is x
        seen = x.numpy()
        seen[:] = 7
        assert x.numpy().tolist() == [1, 1]
