"""Gradients of what is used many times are added up in place, and nothing else is written over."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core import mode
from refluid.ir.recorder import Recorder
from refluid.ops import registry

F32 = np.float32
STEPS = 4


@pytest.fixture(autouse=True)
def imperative():
    with fluid.dygraph.guard():
        yield


def var(shape, seed=0):
    made = fluid.dygraph.to_variable(np.random.RandomState(seed).uniform(-1, 1, shape).astype(F32))
    made.stop_gradient = False
    return made


def rows(table, step):
    ids = fluid.dygraph.to_variable(np.array([step, 0, step, 1], np.int64))
    return registry.get("lookup_table_v2")(table, ids)


# What a step makes of the state x and the weights w, and the shape of w.
STEP = {
    "fc": ((3, 3), lambda t, w, x: registry.get("fc")(x, w)),
    "fc with relu": ((3, 3), lambda t, w, x: registry.get("fc")(x, w, activation_type="relu")),
    "matmul": ((3, 3), lambda t, w, x: layers.matmul(x, w, alpha=0.5)),
    "matmul, transposed": ((3, 3), lambda t, w, x: layers.matmul(x, w, transpose_y=True)),
    "mul": ((3, 3), lambda t, w, x: layers.mul(x, w)),
    "slices": ((4, STEPS, 3), lambda t, w, x: x * w[:, t]),
    "overlapping slices": ((7, 3), lambda t, w, x: x * w[t : t + 4]),
    "rows of a table": ((5, 3), lambda t, w, x: x * rows(w, t)),
    "the whole": ((4, 3), lambda t, w, x: x * w),
}


def run(step, weights):
    """The gradients of the weights of every step; `weights` may hold the same variable many times."""
    x = var((4, 3), seed=1)
    for t, w in enumerate(weights):
        x = layers.sigmoid(step(t, w, x)) + x
    layers.reduce_sum(x * x).backward()
    return [w.gradient() for w in weights]


@pytest.mark.parametrize("name", STEP)
def test_the_gradient_of_shared_weights_is_the_sum_of_those_of_equal_ones(name):
    shape, step = STEP[name]
    shared = run(step, [var(shape)] * STEPS)
    apart = run(step, [var(shape) for _ in range(STEPS)])
    np.testing.assert_allclose(shared[0], sum(apart), rtol=1e-5, atol=1e-6)


def test_gradients_that_two_variables_share_are_not_written_over():
    a, b = var((2, 2)), var((2, 2), seed=1)
    both = a + b  # gives its own gradient to both
    layers.reduce_sum(both * 3.0 + a * 2.0 + a * 5.0 + a).backward()
    assert (a.gradient() == 11).all() and (b.gradient() == 3).all() and (both.gradient() == 3).all()


def test_a_gradient_that_is_held_stays_when_backward_comes_again():
    layer = fluid.dygraph.Linear(3, 3)
    x = var((2, 3))
    layers.reduce_sum(layer(layer(x))).backward(retain_graph=True)
    held = layer.weight.grad
    before = held.numpy()
    layers.reduce_sum(layer(layer(layer(x)))).backward()
    assert np.array_equal(held.numpy(), before)
    assert not np.array_equal(layer.weight.gradient(), before)


def test_a_second_pass_through_the_same_graph_gives_the_same_sums():
    w, x = var((3, 3)), var((2, 3), seed=1)
    loss = layers.reduce_sum(layers.matmul(layers.matmul(x, w), w))
    loss.backward(retain_graph=True)
    first = w.gradient()
    loss.backward()
    assert np.array_equal(w.gradient(), first)


def test_a_product_of_a_variable_with_itself():
    x = var((3, 3))
    layers.reduce_sum(layers.matmul(x, x) + layers.matmul(x, x)).backward()
    value = x.numpy()
    ones = np.ones((3, 3), F32)
    np.testing.assert_allclose(x.gradient(), 2 * (ones @ value.T + value.T @ ones), rtol=1e-5)


@pytest.mark.parametrize("name", STEP)
def test_weights_are_shared_with_a_penalty_on_a_gradient(name):
    # As a critic that is called on two batches and whose gradient is kept near one.
    shape, step = STEP[name]
    ours = penalised(step, [var(shape)] * 3)
    apart = penalised(step, [var(shape) for _ in range(3)])
    np.testing.assert_allclose(ours[0], sum(apart), rtol=1e-4, atol=1e-6)


def penalised(step, weights):
    x = var((4, 3), seed=1)
    between = layers.tanh(step(0, weights[0], x))
    (slope,) = fluid.dygraph.grad([between], [x], create_graph=True)
    loss = layers.reduce_sum(layers.square(slope))
    for w in weights[1:]:
        loss = loss + layers.reduce_mean(step(0, w, x))
    loss.backward()
    return [w.gradient() for w in weights]


def test_linear_is_one_call():
    out = fluid.dygraph.Linear(3, 2, act="relu")(var((4, 3)))
    assert out._grad_node.recipe.op.type == "relu"
    assert out._grad_node.sources[0].recipe.op.type == "fc"


def test_linear_records_the_two_operators_that_fluid_records():
    main = fluid.Program()
    old = mode.switch(Recorder())
    try:
        with fluid.program_guard(main, fluid.Program()):
            fluid.dygraph.Linear(3, 2)(fluid.data("x", [None, 3], "float32"))
    finally:
        mode.switch(old)
    assert [op.type for op in main.global_block().ops] == ["matmul", "elementwise_add"]
