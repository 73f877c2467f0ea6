"""Loops and conditions in plans: values and gradients, against numpy and finite differences."""

import numpy as np
import pytest

import paddle.fluid as fluid

L = fluid.layers


def constant(value, dtype="int64"):
    return L.fill_constant([1], dtype, value)


def weight(name="w", size=3):
    return L.create_parameter([size, size], "float64", name=name)


def gradients_hold(build, x, tolerance=1e-6):
    """Check the gradients of `build(x)` with respect to x and all parameters by finite differences."""
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        data = fluid.data("x", x.shape, "float64")
        data.stop_gradient = False
        loss = build(data)
        pairs = fluid.backward.append_backward(loss)
    exe, scope = fluid.Executor(), fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        names = ["x@GRAD", *(grad.name for _, grad in pairs)]
        value, *found = exe.run(main, feed={"x": x}, fetch_list=[loss, *names])

        def at(array, position, change):
            old = array[position]
            array[position] = old + change
            for param, _ in pairs:
                scope.find_var(param.name).get_tensor().set(params[param.name], fluid.CPUPlace())
            (result,) = exe.run(main, feed={"x": x}, fetch_list=[loss])
            array[position] = old
            return result.item()

        params = {p.name: np.array(scope.find_var(p.name).get_tensor()) for p, _ in pairs}
        for array, grad in zip([x, *params.values()], found, strict=True):
            expected = np.zeros_like(array)
            for position in np.ndindex(array.shape):
                expected[position] = (at(array, position, 1e-5) - at(array, position, -1e-5)) / 2e-5
            np.testing.assert_allclose(grad, expected, atol=tolerance)
    return value.item(), main


X = np.arange(6.0).reshape(2, 3) / 10 + 0.1


def plain_loop(x, rounds=4):
    w = weight()
    _, h = L.while_loop(lambda i, h: i < constant(rounds), lambda i, h: [i + 1, L.tanh(L.mul(h, w))], [constant(0), x])
    return L.mean(h * x)


@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_a_loop_of_any_number_of_rounds(rounds):
    gradients_hold(lambda x: plain_loop(x, rounds), X.copy())


def test_two_carried_variables_of_which_one_reaches_the_loss():
    def build(x):
        w = weight()
        h, c = L.fill_constant([2, 3], "float64", 0.5), L.fill_constant([2, 3], "float64", 0.25)

        def body(i, h, c):
            c = c * L.sigmoid(L.mul(h, w)) + x
            return [i + 1, L.tanh(c), c]

        _, h, _ = L.while_loop(lambda i, h, c: i < constant(3), body, [constant(0), h, c])
        return L.mean(h)

    gradients_hold(build, X.copy())


def test_a_loop_over_arrays():
    def build(x):
        w = weight()
        i, n = constant(0), constant(4)
        states = L.array_write(x, i)
        go_on = L.less_than(i, n)
        loop = L.While(go_on)
        with loop.block():
            h = L.tanh(L.mul(L.array_read(states, i), w))
            L.increment(i)
            L.array_write(h, i, array=states)
            L.less_than(i, n, cond=go_on)
        # Element 2 is read inside the loop and here: both gradients count.
        return L.mean(L.array_read(states, i) * L.array_read(states, constant(2)))

    gradients_hold(build, X.copy())


def test_an_array_that_the_loop_only_reads_and_one_that_it_only_writes():
    def build(x):
        w = weight()
        i, n = constant(0), constant(3)
        inputs, outputs = L.create_array("float64"), L.create_array("float64")
        for k in range(3):
            L.array_write(x * float(k + 1), constant(k), array=inputs)
        go_on = L.less_than(i, n)
        loop = L.While(go_on)
        with loop.block():
            L.array_write(L.mul(L.array_read(inputs, i), w), i, array=outputs)
            L.increment(i)
            L.less_than(i, n, cond=go_on)
        joined, _ = L.tensor_array_to_tensor(outputs, axis=0)
        assert L.array_length(outputs).shape == (1,)
        return L.mean(L.tanh(joined))

    gradients_hold(build, X.copy())


def test_elements_that_a_loop_reads_twice():
    def build(x):
        zero, n = constant(0), constant(3)
        array = L.array_write(x, zero)
        _, total = L.while_loop(
            lambda k, s: k < n,
            lambda k, s: [k + 1, s + L.array_read(array, zero) * L.array_read(array, zero)],
            [constant(0), L.fill_constant([2, 3], "float64", 0.0)],
        )
        return L.mean(total)

    gradients_hold(build, X.copy())


def test_an_element_written_over_has_no_gradient():
    def build(x):
        zero = constant(0)
        array = L.array_write(x * 3.0, zero)
        first = L.array_read(array, zero)
        L.array_write(x * x, zero, array=array)
        return L.mean(first + L.array_read(array, zero))

    gradients_hold(build, X.copy())


def test_loops_inside_loops():
    def build(x):
        w = weight()

        def inner(i, h):
            _, h = L.while_loop(lambda k, h: k < i + 1, lambda k, h: [k + 1, L.tanh(L.mul(h, w) + x)], [constant(0), h])
            return [i + 1, h]

        _, h = L.while_loop(lambda i, h: i < constant(3), inner, [constant(0), x * 1.0])
        return L.mean(h)

    gradients_hold(build, X.copy())


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_conditions(shift):
    def build(x):
        w = weight()
        small = L.reduce_mean(x) < 0.5
        y = L.cond(small, lambda: L.tanh(L.mul(x, w)), lambda: x * x - 1.0)
        return L.mean(y * x)

    _, main = gradients_hold(build, X + shift)
    assert [op.type for op in main.global_block().ops].count("conditional_block_grad") == 2


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_a_structure_of_results(shift):
    def build(x):
        small = L.reduce_mean(x) < 0.5
        a, (b, c) = L.cond(small, lambda: (x * 2.0, [x + 1.0, x]), lambda: (x - 1.0, [x, x * x]))
        return L.mean(a * b + c)

    gradients_hold(build, X + shift)


def test_a_condition_inside_a_loop():
    def build(x):
        w = weight()

        def body(i, h):
            h = L.cond(L.equal(i % 2, constant(0)), lambda: L.tanh(L.mul(h, w)), lambda: h * h)
            return [i + 1, h]

        _, h = L.while_loop(lambda i, h: i < constant(4), body, [constant(0), x * 1.0])
        return L.mean(h)

    gradients_hold(build, X.copy())


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_a_loop_inside_a_condition(shift):
    def build(x):
        return L.cond(L.reduce_mean(x) < 0.5, lambda: plain_loop(x), lambda: L.mean(x * x))

    gradients_hold(build, X + shift)


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_a_variable_that_a_branch_may_write_over(shift):
    def build(x):
        h = x * 2.0
        with L.Switch() as switch, switch.case(L.reduce_mean(x) < 0.5):
            L.assign(L.tanh(h), h)
        return L.mean(h * h)

    gradients_hold(build, X + shift)


def test_a_branch_that_counts_on_after_it_has_written():
    def build(x):
        i = constant(1)
        array = L.array_write(x * 2.0, constant(0))
        with L.Switch() as switch, switch.case(L.reduce_mean(x) < 5.0):
            L.array_write(L.array_read(array, constant(0)) * x, i, array=array)
            L.assign(i + 1, i)
        return L.mean(L.array_read(array, i - 1) * L.array_read(array, constant(0)))

    gradients_hold(build, X.copy())


@pytest.mark.parametrize("shift", [0.0, 9.0])
def test_a_branch_whose_gradient_reads_what_it_writes_over(shift):
    def build(x):
        h = x * 2.0
        with L.Switch() as switch, switch.case(L.reduce_mean(x) < 5.0):
            L.assign(h * h * h, h)
        return L.mean(h * x)

    gradients_hold(build, X + shift, 1e-5)


def test_an_array_that_a_branch_inside_a_loop_reads_and_writes():
    def build(x):
        array = L.array_write(x * 1.0, constant(0))

        def body(k, y, length):
            with L.Switch() as switch, switch.case(L.reduce_mean(y) > 0.0):
                L.assign(L.array_read(array, constant(0)) * 2.0 * x, y)
                L.array_write(y, length, array=array)
                L.assign(length + 1, length)
            return [k + 1, y, length]

        _, y, _ = L.while_loop(lambda k, y, n: k < constant(3), body, [constant(0), x * 1.0, constant(1)])
        return L.mean(L.array_read(array, constant(0)) * 3.0 * x + y * y + L.array_read(array, constant(2)))

    gradients_hold(build, X.copy())


def test_a_loop_that_reads_what_it_has_just_written():
    def build(x):
        w = weight()
        i, n = constant(0), constant(3)
        h, y = x * 1.0, x * 0.0
        go_on = L.less_than(i, n)
        loop = L.While(go_on)
        with loop.block():
            L.assign(L.tanh(L.mul(h, w)), h)
            L.assign(y + h * h, y)
            L.increment(i)
            L.less_than(i, n, cond=go_on)
        return L.mean(y)

    gradients_hold(build, X.copy())


def test_a_loop_that_writes_without_reading():
    def build(x):
        w = weight()
        i, n = constant(0), constant(3)
        last = L.fill_constant([2, 3], "float64", 0.0)
        go_on = L.less_than(i, n)
        loop = L.While(go_on)
        with loop.block():
            L.assign(L.mul(x, w) * L.cast(i, "float64"), last)
            L.increment(i)
            L.less_than(i, n, cond=go_on)
        return L.mean(last)

    gradients_hold(build, X.copy())


def test_rows_by_their_condition():
    def build(x):
        w = weight()
        choice = L.IfElse(L.reduce_mean(x, dim=1, keep_dim=True) < 0.3)
        with choice.true_block():
            choice.output(L.tanh(L.mul(choice.input(x), w)))
        with choice.false_block():
            rows = choice.input(x)
            choice.output(rows * rows)
        (y,) = choice()
        return L.mean(y * x)

    for shift in (0.0, -1.0, 1.0):  # some rows, all rows, no row
        gradients_hold(build, X + shift)


def test_a_fetched_loop_variable_is_that_after_the_loop():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [2, 3], "float64")
        x.stop_gradient = False
        _, h = L.while_loop(lambda i, h: i < constant(2), lambda i, h: [i + 1, h * h], [constant(0), x * 1.0])
        fluid.backward.append_backward(L.mean(h))
    value, grad = fluid.Executor().run(main, feed={"x": X}, fetch_list=[h, "x@GRAD"])
    np.testing.assert_allclose(value, X**4)
    np.testing.assert_allclose(grad, 4 * X**3 / 6)


def test_a_lod_goes_through_a_loop_and_an_array():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [None, 2], "float64", lod_level=1)
        i, n = constant(0), constant(2)
        array = L.array_write(x, i)
        go_on = L.less_than(i, n)
        loop = L.While(go_on)
        with loop.block():
            longer = L.sequence_concat([L.array_read(array, i), x])
            L.increment(i)
            L.array_write(longer, i, array=array)
            L.less_than(i, n, cond=go_on)
        sums = L.sequence_pool(L.array_read(array, i), "sum")
    feed = fluid.create_lod_tensor(np.arange(6.0).reshape(3, 2), [[2, 1]], fluid.CPUPlace())
    whole, total = fluid.Executor().run(main, feed={"x": feed}, fetch_list=[array, sums], return_numpy=False)
    assert [one.recursive_sequence_lengths() for one in whole] == [[[2, 1]], [[4, 2]], [[6, 3]]]
    np.testing.assert_allclose(np.array(total), [[6, 12], [12, 15]])


def test_training_through_a_loop_lowers_the_loss_and_a_test_program_keeps_the_loop_alone():
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 5
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 3], "float64")
        _, h = L.while_loop(
            lambda i, h: i < constant(3),
            lambda i, h: [i + 1, L.fc(h, 3, act="tanh", param_attr="shared", bias_attr="bias")],
            [constant(0), x * 1.0],
        )
        loss = L.mean(L.square(h - 0.25))
        test = main.clone(for_test=True)
        fluid.optimizer.Adam(0.05).minimize(loss)
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        losses = [exe.run(main, feed={"x": X}, fetch_list=[loss])[0].item() for _ in range(40)]
        after = exe.run(test, feed={"x": X}, fetch_list=[loss.name])[0].item()
    assert losses[-1] < losses[0] / 5 and after < losses[0] / 5
    assert test.num_blocks == 2 and main.num_blocks == 3
