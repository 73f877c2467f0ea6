"""Bodies that update parameters: what was read of a parameter before stays what it was, as in Fluid 1.8.5.

python -m tests.executor.test_updates_in_bodies 0 1000
"""

import random
import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers as L

START = np.arange(8, dtype="float32").reshape(2, 4)


def parameter(name="w"):
    start = fluid.initializer.NumpyArrayInitializer(START)
    return L.create_parameter([2, 4], "float32", name=name, default_initializer=start)


def sgd(param, grad=None):
    """Subtract 1, or a gradient, in the block that is being built."""
    grad = L.fill_constant([2, 4], "float32", 1.0) if grad is None else grad
    slots = {"Param": param, "Grad": grad, "LearningRate": L.fill_constant([1], "float32", 1.0)}
    fluid.default_main_program().current_block().append_op(type="sgd", inputs=slots, outputs={"ParamOut": param})


def loop(times, body):
    i, end = L.fill_constant([1], "int64", 0), L.fill_constant([1], "int64", times)
    going = L.less_than(i, end)
    with L.While(going).block():
        body(i)
        L.increment(i, 1, in_place=True)
        L.less_than(i, end, cond=going)


def reshaped(w):
    return L.reshape(w, [4, 2])


def inside_a_loop():
    w, total = parameter(), L.fill_constant([1], "float32", 0.0)

    def body(i):
        view = reshaped(w)
        sgd(w)
        L.assign(total * 10.0 + L.reduce_sum(view), total)

    loop(3, body)
    return [total, w]


def kept_for_after_a_loop():
    w = parameter()
    kept = L.assign(reshaped(w))

    def body(i):
        L.assign(reshaped(w), kept)
        sgd(w)

    loop(3, body)
    return [kept, w]


def of_before_a_loop():
    w, total = parameter(), L.fill_constant([1], "float32", 0.0)
    view = reshaped(w)

    def body(i):
        L.assign(total * 10.0 + L.reduce_sum(view), total)
        sgd(w)

    loop(3, body)
    return [total, w, view]


def of_the_iteration_before():
    w, total = parameter(), L.fill_constant([1], "float32", 0.0)
    kept = L.assign(reshaped(w))

    def body(i):
        sgd(w)
        L.assign(total * 10.0 + L.reduce_sum(kept), total)
        L.assign(reshaped(w), kept)

    loop(3, body)
    return [total, kept, w]


def updated_branch(view_of, w):
    def true():
        view = view_of(w)
        sgd(w)
        return view

    return L.cond(L.fill_constant([1], "bool", True), true, lambda: view_of(w))


def inside_a_branch():
    w = parameter()
    return [updated_branch(lambda w: L.reduce_sum(reshaped(w)), w), w]


def of_before_a_branch():
    w = parameter()
    view = reshaped(w)

    def true():
        sgd(w)
        return L.reduce_sum(view)

    yes = L.fill_constant([1], "bool", True)
    return [L.cond(yes, true, lambda: L.fill_constant([1], "float32", 0.0)), w, view]


def result_of_a_branch():
    w = parameter()
    result = updated_branch(reshaped, w)
    sgd(w)
    return [result, w]


def in_an_array():
    w, array, zero = parameter(), L.create_array("float32"), L.fill_constant([1], "int64", 0)

    def body(i):
        L.array_write(reshaped(w), i, array)
        sgd(w)

    loop(3, body)
    return [L.array_read(array, zero), L.array_read(array, zero + 2), w]


def in_a_recurrence():
    w, x, start = parameter(), L.fill_constant([3, 1], "float32", 1.0), L.fill_constant([1], "float32", 0.0)
    rnn = L.StaticRNN()
    with rnn.step():
        rnn.step_input(x)
        before = rnn.memory(init=start)
        view = reshaped(w)
        sgd(w)
        total = L.elementwise_add(L.scale(before, 10.0), L.reduce_sum(view))
        rnn.update_memory(before, total)
        rnn.step_output(total)
        rnn.step_output(view)
    return [*rnn(), w]


def gradient_of_a_loop(inside):
    w, x = parameter(), L.fill_constant([2, 4], "float32", 2.0)
    x.stop_gradient = False
    i, end = L.zeros([1], "int64"), L.fill_constant([1], "int64", 2)
    array = L.array_write(x, i)
    going = L.less_than(i, end)
    with L.While(going).block():
        product = L.elementwise_mul(L.array_read(array, i), L.reshape(reshaped(w), [2, 4]))
        if inside:
            sgd(w)
        L.array_write(product, L.increment(i, in_place=True), array)
        L.less_than(i, end, cond=going)
    loss = L.mean(L.array_read(array, i))
    if not inside:
        sgd(w)
    return [fluid.gradients(loss, x)[0], w]


def update_between_a_loop_and_its_gradient():
    return gradient_of_a_loop(inside=False)


def update_in_a_loop_with_a_gradient():
    return gradient_of_a_loop(inside=True)


def update_in_a_branch_with_a_gradient():
    w, x = parameter(), L.fill_constant([2, 4], "float32", 2.0)
    x.stop_gradient = False

    def true():
        product = L.elementwise_mul(x, L.reshape(reshaped(w), [2, 4]))
        sgd(w)
        return product

    loss = L.reduce_sum(L.cond(L.fill_constant([1], "bool", True), true, lambda: x * 1.0))
    sgd(w)
    return [fluid.gradients(loss, x)[0], w]


def less(n):
    return (START.ravel() - n).tolist()


# What 1.8.5 gives.
RECORDED = {
    inside_a_loop: [[3012.0], less(3)],
    kept_for_after_a_loop: [less(2), less(3)],
    of_before_a_loop: [[3108.0], less(3), less(0)],
    of_the_iteration_before: [[3012.0], less(3), less(3)],
    inside_a_branch: [[28.0], less(1)],
    of_before_a_branch: [[28.0], less(1), less(0)],
    result_of_a_branch: [less(0), less(2)],
    in_an_array: [less(0), less(2), less(3)],
    in_a_recurrence: [[28.0, 300.0, 3012.0], less(0) + less(1) + less(2), less(3)],
    update_between_a_loop_and_its_gradient: [[0.0, 0.125, 0.5, 1.125, 2.0, 3.125, 4.5, 6.125], less(1)],
    update_in_a_loop_with_a_gradient: [[0.0, 0.0, 0.25, 0.75, 1.5, 2.5, 3.75, 5.25], less(2)],
    update_in_a_branch_with_a_gradient: [less(0), less(2)],
}


@pytest.mark.parametrize("program", RECORDED)
def test_a_view_that_a_body_reads_behind_an_update_is_what_it_was(program):
    fetches = program()
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    found = [value.ravel().tolist() for value in exe.run(fetch_list=fetches)]
    assert found == RECORDED[program]


def test_a_loop_that_overwrites_nothing_copies_nothing():
    w, total = parameter(), L.fill_constant([1], "float32", 0.0)
    view = reshaped(w)
    loop(3, lambda i: L.assign(total + L.reduce_sum(reshaped(w)) + L.reduce_sum(view), total))
    source = fluid.default_main_program().to_source(feed=[], fetch_list=[total, view])
    assert "COPY" not in source and source.count("assign(") == 1


# -- at random ------------------------------------------------------------------------------------------------------


class Program:
    """Rows [2, 4] of nested bodies. With `copies`, every view is copied at once, so nothing can be overwritten."""

    def __init__(self, rng, copies):
        self.rng, self.copies = rng, copies
        self.weights = [parameter("w_0"), parameter("w_1")]
        self.rows = [L.fill_constant([2, 4], "float32", 0.5)]
        self.kept = [L.fill_constant([2, 4], "float32", 0.1 * i) for i in range(2)]
        self.array = L.array_write(self.rows[0], L.fill_constant([1], "int64", 0))

    def view(self):
        row = self.rng.choice([*self.weights, *self.weights, *self.rows[-3:], *self.kept])
        view = self.rng.choice([
            lambda: L.reshape(L.reshape(row, [8]), [2, 4]),
            lambda: L.transpose(L.transpose(row, [1, 0]), [1, 0]),
            lambda: L.slice(row, [0], [0], [2]),
            lambda: L.squeeze(L.unsqueeze(row, [0]), [0]),
        ])()  # fmt: skip
        self.rows.append(L.assign(view) if self.copies else view)

    def step(self, depth):
        kind = self.rng.choice(["view", "view", "update", "sum", "keep", "write", "read", "loop", "branch"])
        if kind in ("loop", "branch") and depth == 2:
            kind = "update"
        if kind == "view":
            self.view()
        elif kind == "update":
            sgd(self.rng.choice(self.weights), L.scale(L.tanh(self.rng.choice(self.rows[-4:])), 0.1))
        elif kind == "sum":
            self.rows.append(L.tanh(L.elementwise_add(self.rng.choice(self.rows[-4:]), self.rng.choice(self.kept))))
        elif kind == "keep":
            row = self.rng.choice(self.rows[-4:])
            L.assign(row, self.rng.choice(self.kept))
        elif kind == "write":
            row = self.rng.choice(self.rows[-4:])
            L.array_write(row, L.fill_constant([1], "int64", self.rng.choice([0, 1])), self.array)
        elif kind == "read":
            self.rows.append(L.array_read(self.array, L.fill_constant([1], "int64", 0)))
        elif kind == "loop":
            loop(self.rng.randint(0, 3), lambda i: self.body(depth + 1))
        else:
            self.branch(depth + 1)

    def branch(self, depth):
        def true():
            self.body(depth)
            return chosen

        chosen = self.rng.choice(self.rows[-4:])
        test = L.fill_constant([1], "bool", self.rng.random() < 0.7)
        self.rows.append(L.cond(test, true, lambda: L.scale(chosen, 2.0)))

    def body(self, depth):
        outside = list(self.rows)
        for _ in range(self.rng.randint(2, 6)):
            self.step(depth)
        L.assign(self.rows[-1], self.rng.choice(self.kept))
        self.rows = outside


def results(seed, copies):
    rng = random.Random(seed)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        program = Program(rng, copies)
        for _ in range(rng.randint(4, 10)):
            program.step(0)
        exe = fluid.Executor()
        exe.run(startup)
        fetches = [*program.rows[-5:], *program.kept, *program.weights]
        return [value for _ in range(2) for value in exe.run(main, fetch_list=fetches)]


@pytest.mark.parametrize("seed", range(60))
def test_programs_give_what_they_give_with_every_view_copied(seed):
    for found, expected in zip(results(seed, False), results(seed, True), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=str(seed))


if __name__ == "__main__":
    wrong = 0
    for seed in range(*map(int, sys.argv[1:])):
        try:
            test_programs_give_what_they_give_with_every_view_copied(seed)
        except Exception as error:
            wrong += 1
            print(seed, type(error).__name__, str(error).strip().splitlines()[:3])
    print(wrong, "wrong")
