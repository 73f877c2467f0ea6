"""What the steps of a recurrent network take in is computed for all of them at once."""

import contextlib

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core.places import CPU
from refluid.executor.plan import Plan

STEPS, BATCH, WIDTH = 5, 3, 4


def cell(x, h, name, swapped=False):
    joined = layers.concat([h, x] if swapped else [x, h], axis=1)
    z = layers.fc(joined, 2 * WIDTH, param_attr=f"{name}.w", bias_attr=f"{name}.b")
    a, b = layers.split(z, 2, dim=1)
    return layers.tanh(a) * layers.sigmoid(b) + h


@contextlib.contextmanager
def program():
    """(main, startup, the input, the first state), and whatever is called inside is written into main."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 5
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [-1, STEPS, WIDTH])
        yield main, startup, x, layers.fill_constant_batch_size_like(x, [-1, WIDTH], "float32", 0.1)


def network(depth=2, steps=STEPS, dropout=(), swapped=False, fetched=False):
    """A network of `depth` layers over `steps` steps; returns the names of what it is to give."""
    with program() as (main, startup, x, first):
        x.stop_gradient = False
        states, outs = [first] * depth, []
        for t in range(steps):
            below = x[:, t]
            for i in range(depth):
                below = states[i] = cell(below, states[i], f"cell_{i}", swapped)
                if i in dropout:
                    below = layers.dropout(below, 0.3, dropout_implementation="upscale_in_train")
            outs.append(below)
        loss = layers.mean(layers.concat(outs, 1))
        fluid.backward.append_backward(loss)
    found = [loss.name, "x@GRAD", *(f"cell_{i}.{part}@GRAD" for i in range(depth) for part in "wb")]
    if fetched:
        joined = next(op for op in main.global_block().ops if op.type == "concat")
        found += joined.output("Out")
    return main, startup, found


def run(main, startup, names, optimize):
    scope = fluid.Scope()
    fluid.Executor().run(startup, scope=scope)
    plan = Plan(main, ("x",), frozenset(), tuple(names), CPU, optimize)
    x = np.random.RandomState(0).rand(BATCH, STEPS, WIDTH).astype("float32")
    values, _ = plan.run([torch.from_numpy(x)], [None], scope)
    return plan.text, [value.numpy() for value in values]


def taken_out(main, startup, fetches):
    """Whether inputs were taken out of the recurrence; the numbers must be those of the plan without passes."""
    names = [one.name for one in fetches]
    _, expected = run(main, startup, names, optimize=False)
    text, found = run(main, startup, names, optimize=True)
    np.testing.assert_allclose(np.ravel(found), np.ravel(expected), rtol=1e-5)
    return "inputs_ahead(" in text


@pytest.mark.parametrize(
    "options, ahead",
    [
        ({}, 2),
        ({"depth": 1}, 1),
        ({"depth": 3}, 3),
        ({"swapped": True}, 2),
        ({"dropout": (0,)}, 2),
        ({"dropout": (0, 1)}, 1),  # the upper layer must draw between two steps of the lower one
        ({"steps": 2}, 0),
        ({"fetched": True}, 1),
    ],
)
def test_inputs_are_taken_out_of_the_recurrence(options, ahead):
    program = network(**options)
    plain, expected = run(*program, optimize=False)
    text, found = run(*program, optimize=True)
    assert "inputs_ahead" not in plain
    assert text.count("inputs_ahead(") == text.count("inputs_behind(") == ahead
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-7)


def test_products_that_need_not_wait_for_one_another_stay():
    with program() as (main, startup, x, _):
        outs = [cell(x[:, t], x[:, t - 1], "cell") for t in range(STEPS)]
        loss = layers.mean(layers.concat(outs, 1))
    assert not taken_out(main, startup, [loss])


def test_a_weight_that_changes_between_the_steps_stays():
    with program() as (main, startup, x, h):
        for t in range(STEPS):
            h = cell(x[:, t], h, "cell")
            weight = main.global_block().var("cell.w")
            layers.assign(weight * 0.5, weight)
        loss = layers.mean(h)
    assert not taken_out(main, startup, [loss])


def test_the_parameters_are_trained():
    losses = []
    for steps in (STEPS, 3):  # with and without
        with program() as (main, startup, x, h):
            for t in range(steps):
                h = cell(x[:, t], h, "cell")
            loss = layers.mean(layers.square(h - 0.5))
            fluid.optimizer.SGD(0.5).minimize(loss)
        assert ("inputs_ahead(" in main.to_source(fetch_list=[loss])) == (steps == STEPS)
        exe, scope = fluid.Executor(), fluid.Scope()
        exe.run(startup, scope=scope)
        feed = {"x": np.random.RandomState(0).rand(BATCH, STEPS, WIDTH).astype("float32")}
        losses.append([exe.run(main, feed=feed, fetch_list=[loss], scope=scope)[0][0] for _ in range(8)])
    for one in losses:
        assert one[-1] < 0.2 * one[0]


def test_inputs_of_one_variable_that_is_written_over_are_taken_together():
    with program() as (main, startup, x, h):
        taken = layers.assign(x[:, 0])
        for t in range(STEPS):
            h = cell(taken, h, "cell")
            layers.assign(x[:, t] * 2.0, taken)
        loss = layers.mean(h)
    assert taken_out(main, startup, [loss])  # every step reads a value of its own


def test_steps_on_both_sides_of_an_update_see_their_own_weights():
    with program() as (main, startup, x, h):
        for t in range(3):
            h = cell(x[:, t], h, "cell")
        loss = layers.mean(h)
        fluid.optimizer.SGD(0.5).minimize(loss)
        for t in range(3, STEPS):
            h = cell(x[:, t], h, "cell")
        after = layers.mean(h)
    assert not taken_out(main, startup, [loss, after])


def test_averages_that_read_the_updated_weights_do_not_disturb():
    with program() as (main, startup, x, h):
        for t in range(STEPS):
            h = cell(x[:, t], h, "cell")
        loss = layers.mean(h)
        fluid.optimizer.SGD(0.5).minimize(loss)
        read = layers.reduce_sum(main.global_block().var("cell.w"))
    assert taken_out(main, startup, [loss, read])
