"""paddle.optimizer: the optimizers of Fluid, which in the imperative mode demand what they update."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
import paddle.optimizer
from refluid.core.errors import ArgumentError

MORE = {"Momentum": {"momentum": 0.9}, "LarsMomentum": {"momentum": 0.9}}
NAMES = [
    name
    for name in vars(paddle.optimizer)
    if name.endswith("Optimizer")
    and name not in ("DGCMomentumOptimizer", "LookaheadOptimizer", "PipelineOptimizer", "RecomputeOptimizer")
]


def settings(name):
    return {"learning_rate": 0.1, **MORE.get(name.removesuffix("Optimizer"), {})}


@pytest.mark.parametrize("name", NAMES)
def test_the_list_of_parameters_is_demanded(name):
    with fluid.dygraph.guard(), pytest.raises(ArgumentError, match=f"{name}: parameter_list is needed"):
        getattr(paddle.optimizer, name)(**settings(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_step_is_that_of_fluid(name):
    found = []
    for module in (paddle.optimizer, fluid.optimizer):
        with fluid.dygraph.guard():
            fluid.default_main_program().random_seed = 1
            start = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.5))
            layer = fluid.dygraph.Linear(2, 1, start, start)
            optimizer = getattr(module, name)(**settings(name), parameter_list=layer.parameters())
            loss = fluid.layers.mean(layer(fluid.dygraph.to_variable(np.array([[1, 2]], "float32"))))
            loss.backward()
            optimizer.minimize(loss)
            found.append(layer.weight.numpy())
    assert np.array_equal(*found) and not np.array_equal(found[0], np.full((2, 1), 0.5, "float32"))


def test_programs_need_no_list():
    loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [-1, 2]), 1))
    paddle.optimizer.Adam(0.1).minimize(loss)
    assert fluid.default_main_program().global_block().ops[-1].type in ("adam", "scale")
