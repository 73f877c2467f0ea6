import numpy as np

import paddle
from paddle import fluid
from refluid.ir.program import default_main_program


def test_variables_of_both_modes_are_variables():
    x, w = fluid.data("x", [2]), fluid.layers.create_parameter([2], "float32")
    for var in (x, w):
        assert isinstance(var, fluid.Variable) and isinstance(var, fluid.framework.Variable)
        assert isinstance(var, paddle.Variable)
    assert isinstance(w, fluid.framework.Parameter) and not isinstance(x, fluid.framework.Parameter)
    with fluid.dygraph.guard():
        x, w = fluid.dygraph.to_variable(np.zeros(2)), fluid.layers.create_parameter([2], "float32")
        for var in (x, w):
            assert isinstance(var, fluid.Variable) and isinstance(var, paddle.Variable)
        assert isinstance(w, fluid.framework.Parameter) and not isinstance(x, fluid.framework.Parameter)
    assert not isinstance(np.zeros(2), fluid.Variable) and not isinstance(3, paddle.Variable)


def test_a_variable_is_made_of_its_class():
    made = fluid.framework.Variable(default_main_program().global_block(), name="mine", shape=[2], dtype="float32")
    assert made.name == "mine" and made.shape == (2,) and isinstance(made, fluid.Variable)
    assert issubclass(type(made), fluid.Variable) and not issubclass(int, fluid.Variable)
