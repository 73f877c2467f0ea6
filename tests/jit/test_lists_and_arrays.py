"""Lists that grow in loops over tensors, and arrays of tensors, with gradients taken more than once."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.dygraph import declarative, to_variable


def list_that_grows(x, n):
    states = []
    i = fluid.layers.fill_constant([1], "int64", 0)
    h = x
    while i < n:
        h = fluid.layers.tanh(h * x)
        states.append(h)
        i = i + 1
    total = fluid.layers.fill_constant([2, 3], "float32", 0.0)
    for k in range(len(states)):
        total = total + states[k] * states[k]
    return fluid.layers.mean(total)


def array_that_a_counter_walks(x, n):
    i = fluid.layers.fill_constant([1], "int64", 0)
    array = fluid.layers.array_write(x, i)
    while i < n:
        h = fluid.layers.array_read(array, i) * x
        i = fluid.layers.increment(i)
        array = fluid.layers.array_write(h, i, array)
    y = fluid.layers.array_read(array, i)
    return fluid.layers.mean(y * y)


@pytest.mark.parametrize("function", [list_that_grows, array_that_a_counter_walks])
def test_values_and_gradients_are_those_of_the_imperative_run(function):
    found = []
    with fluid.dygraph.guard():
        for run in (function, declarative(function)):
            x = to_variable(np.arange(6, dtype="float32").reshape(2, 3) / 5)
            x.stop_gradient = False
            for rounds in (3, 1):
                loss = run(x, to_variable(np.array([rounds])))
                loss.backward(retain_graph=True)
                first = x.gradient().copy()
                x.clear_gradient()
                loss.backward()
                found.append((loss.numpy(), first, x.gradient().copy()))
                np.testing.assert_array_equal(first, found[-1][2])
                x.clear_gradient()
    for plain, translated in zip(found[:2], found[2:], strict=True):
        for a, b in zip(plain, translated, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def list_read_in_a_loop_inside_a_loop(x, n):
    parts, total = [x * 2], x
    for _ in range(n):
        parts.append(x * x)
    for _ in range(n):
        for one in parts:
            total = total * 0.5 + one
    return fluid.layers.mean(total)


def list_that_grows_between_loops_that_read_it(x, n):
    parts, total = [x], x
    for _ in range(2):
        for i in range(n):
            parts.append(x * i)
        for one in parts:
            total = total * 0.5 + one
    return fluid.layers.mean(total)


def list_joined_and_grown_in_a_branch_behind_a_return(x, n):
    parts, total = [x, x * 2], x
    if n > 2:
        return fluid.layers.mean(x)
    if n > 0:
        total = fluid.layers.reduce_sum(fluid.layers.stack(parts)) * 0.25 + parts[0] * parts[1]
        parts.append(x)
    return fluid.layers.mean(total)


def list_joined_in_every_round(x, n):
    parts, total = [x], x
    for _ in range(n):
        parts.append(total * 0.5)
        total = fluid.layers.sums(parts) + parts[0] * parts[-1] + fluid.layers.reduce_mean(fluid.layers.concat(parts))
    return fluid.layers.mean(total)


def list_joined_after_pops(x, n):
    parts = [x]
    for i in range(n):
        parts.append(x * i)
        parts.extend([x, x * x])
        x = x + parts.pop()
        parts.append(x)
        parts.pop()
    joined, _ = fluid.layers.tensor_array_to_tensor(parts, axis=0)
    return fluid.layers.mean(joined * joined) + fluid.layers.mean(fluid.layers.sum(parts)) * len(parts)


def list_joined_before_it_is_taken_from_in_a_round(x, n):
    parts, total = [x, x * 2, x * x, x], x
    for _ in range(n):
        total = total + fluid.layers.sums(parts)
        for _ in range(1, n):
            if n > 2:
                parts.append(x * x)
            total = total * 0.5 + parts.pop()
        parts.append(x)
    return fluid.layers.mean(total)


def list_that_a_loop_empties(x, n):
    todo, total = [x, x * 2], x * 0
    while todo:
        one = todo.pop()
        total = total + one
        if fluid.layers.mean(one) > 0 and len(todo) < n and not fluid.layers.mean(total) > 10:
            todo.append(one * one - 0.4)
    return total if not todo else x


def list_begun_anew_in_every_round(x, n):
    total = x
    for one in (x, x * 2):
        found = []
        for _ in range(n):
            found.append(one)
        for part in found:
            total = total + part * 0.5
        if fluid.layers.mean(total) > 0:
            break
    return total


def lists_in_branches_behind_loops(x, n):
    parts, pair, total = [x, x * 2], (x, x * 3), x
    for _ in range(n):
        if fluid.layers.mean(total) <= 3:
            total = total + x + 1
            parts.append(x * x)
        else:
            pair = (x, parts[0])
    if n < 2:
        found = []
        for one in pair:
            found.append(one * 0.5)
            if n > 0:
                found.append(x)
        total = total + fluid.layers.sums(found) * 0.5
    return fluid.layers.mean(total)


def tensor_that_grows_in_a_branch_in_loops(x, n):
    for _ in range(n):
        for i in range(1, n):
            x = fluid.layers.concat([x[:1], x * 0.5], axis=0) if i < 9 else x * 2
    return fluid.layers.mean(x * x)


def list_given_back(x, n):
    parts = [x * x]
    for i in range(n):
        parts.append(x * (i + 1))
    return {"parts": parts, "others": (x, [parts])}


def list_that_may_stay_empty_given_back(x, n):
    parts = []
    for i in range(1, n):
        parts.append(x * i)
    return parts, x


@pytest.mark.parametrize("function", [
    list_read_in_a_loop_inside_a_loop, list_that_grows_between_loops_that_read_it,
    list_joined_and_grown_in_a_branch_behind_a_return, list_joined_in_every_round, list_joined_after_pops,
    list_begun_anew_in_every_round, list_that_a_loop_empties,
    list_joined_before_it_is_taken_from_in_a_round, lists_in_branches_behind_loops,
    tensor_that_grows_in_a_branch_in_loops, list_given_back,
    list_that_may_stay_empty_given_back,
])  # fmt: skip
def test_lists_of_any_length_have_the_gradients_of_the_imperative_run(function):
    translated = declarative(function)
    with fluid.dygraph.guard():
        for rounds in (3, 1, 2, 0):
            found = []
            for run in (function, translated):
                x = to_variable(np.arange(6, dtype="float64").reshape(2, 3) / 5 - 0.4)
                x.stop_gradient = False
                outs = _flat(run(x, to_variable(np.array([rounds]))))
                sum(fluid.layers.reduce_sum(one * one * (i + 1)) for i, one in enumerate(outs)).backward()
                found.append([*[one.numpy() for one in outs], x.gradient()])
            assert len(found[0]) == len(found[1])
            for plain, ours in zip(*found, strict=True):
                np.testing.assert_allclose(ours, plain, rtol=1e-6, atol=1e-9)


def _flat(value):
    parts = value.values() if isinstance(value, dict) else value
    return [one for part in parts for one in _flat(part)] if isinstance(value, dict | list | tuple) else [value]
