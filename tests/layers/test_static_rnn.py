"""StaticRNN: values against numpy, gradients against finite differences, programs as Fluid's."""

import numpy as np
import pytest
from tests.executor.test_blocks import constant, gradients_hold, weight

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, ModeError, ShapeError

L = fluid.layers
X = np.random.RandomState(0).uniform(-1, 1, (4, 2, 3))


def recurrence(x, w, init=None, reads=None):
    rnn = L.StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        before = rnn.memory(init=init) if init is not None else rnn.memory(shape=[-1, 3], batch_ref=word)
        hidden = L.tanh(L.mul(before, w) + word)
        if reads is not None:
            hidden = hidden * reads
        rnn.update_memory(before, hidden)
        rnn.step_output(hidden)
    return rnn()


def run(build, **feeds):
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        outs = build(*(fluid.data(name, value.shape, str(value.dtype)) for name, value in feeds.items()))
    exe, scope = fluid.Executor(), fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        return exe.run(main, feed=feeds, fetch_list=outs if isinstance(outs, list) else [outs]), main


def test_every_step_reads_what_the_one_before_has_written():
    w = np.eye(3) * 0.5
    (out,), _ = run(lambda x, w: recurrence(x, w), x=X, w=w)
    hidden = np.zeros((2, 3))
    for step in range(4):
        hidden = np.tanh(hidden @ w + X[step])
        np.testing.assert_allclose(out[step], hidden)


def test_gradients_of_inputs_parameters_and_initial_states():
    gradients_hold(lambda x: L.mean(L.square(recurrence(x, weight()))), X.copy())

    def from_the_input(x):
        first = L.reduce_sum(x, dim=0)
        return L.mean(L.square(recurrence(x, weight(), init=first, reads=L.reduce_mean(x, dim=[0, 1]))))

    gradients_hold(from_the_input, X.copy())


def test_gradients_with_several_outputs_and_memories_of_which_not_all_reach_the_loss():
    def build(x):
        w = weight()
        rnn = L.StaticRNN()
        with rnn.step():
            word = rnn.step_input(x)
            h = rnn.memory(shape=[-1, 3], batch_ref=word, init_value=0.5)
            c = rnn.memory(shape=[-1, 3], batch_ref=word)
            unused = rnn.memory(shape=[-1, 3], batch_ref=word)
            new = c * L.sigmoid(L.mul(h, w)) + word
            rnn.update_memory(c, new)
            rnn.update_memory(h, L.tanh(new))
            rnn.update_memory(unused, unused + word)
            rnn.output(L.tanh(new), unused, h)
        out, _, states = rnn()
        return L.mean(L.square(out)) + L.mean(states)

    gradients_hold(build, X.copy())


def test_one_variable_may_begin_two_memories():
    def build(x):
        first = L.reduce_sum(x, dim=0)
        rnn = L.StaticRNN()
        with rnn.step():
            word = rnn.step_input(x)
            a, b = rnn.memory(init=first), rnn.memory(init=first)
            rnn.update_memory(a, L.tanh(a * b) + word)
            rnn.update_memory(b, L.sigmoid(a - b))
            rnn.step_output(a * b)
        return L.mean(rnn())

    gradients_hold(build, X.copy())


def test_one_inside_another_and_inside_a_loop():
    def nested(x):
        w = weight()
        rnn = L.StaticRNN()
        with rnn.step():
            word = rnn.step_input(x)
            before = rnn.memory(shape=[-1, 3], batch_ref=word)
            again = recurrence(L.stack([word, before]), w)
            rnn.update_memory(before, L.reduce_sum(again, dim=0))
            rnn.step_output(again)
        return L.mean(L.square(rnn()))

    gradients_hold(nested, X.copy())

    def looped(x):
        w = weight()
        body = lambda i, h: [i + 1, recurrence(h, w)]  # noqa: E731
        _, h = L.while_loop(lambda i, h: i < constant(2), body, [constant(0), x])
        return L.mean(h)

    gradients_hold(looped, X.copy())


def test_a_condition_inside_a_step():
    def build(x):
        w = weight()
        rnn = L.StaticRNN()
        with rnn.step():
            word = rnn.step_input(x)
            before = rnn.memory(shape=[-1, 3], batch_ref=word)
            big = L.reduce_sum(word) > L.fill_constant([1], "float64", 0.0)
            hidden = L.cond(big, lambda: L.tanh(L.mul(before, w) + word), lambda: word * 2.0)
            rnn.update_memory(before, hidden)
            rnn.step_output(hidden)
        return L.mean(L.square(rnn()))

    gradients_hold(build, X.copy())


def test_a_training_step_lowers_the_loss_and_a_clone_for_tests_computes_the_same():
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, None, 3], "float32")
        rnn = L.StaticRNN()
        with rnn.step():
            word = rnn.step_input(x)
            before = rnn.memory(shape=[-1, 5], batch_ref=word)
            hidden = L.fc([word, before], 5, act="tanh")
            rnn.update_memory(before, hidden)
            rnn.step_output(hidden)
        loss = L.mean(L.square(L.fc(rnn(), 1, num_flatten_dims=2) - 0.5))
        test = main.clone(for_test=True)
        fluid.optimizer.Adam(0.05).minimize(loss)
    exe, scope = fluid.Executor(), fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        feed = {"x": X.astype("float32")}
        first = exe.run(test, feed=feed, fetch_list=[loss.name])[0].item()
        losses = [exe.run(main, feed=feed, fetch_list=[loss])[0].item() for _ in range(20)]
        longer = exe.run(test, feed={"x": np.ones((7, 3, 3), "float32")}, fetch_list=[loss.name])[0]
    assert np.isclose(losses[0], first) and losses[-1] < 0.2 * first and np.isfinite(longer)


def test_wrong_use_is_told():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x, y = fluid.data("x", [4, 2, 3]), fluid.data("y", [5, 2, 3])
        rnn = L.StaticRNN()
        with pytest.raises(ArgumentError, match="StaticRNN.step_input: call it inside `with rnn.step"):
            rnn.step_input(x)
        with pytest.raises(ArgumentError, match="the outputs are available after"):
            rnn()
        with pytest.raises(ShapeError, match="x has 5 steps, but earlier inputs have 4"), rnn.step():
            rnn.step_input(x)
            rnn.step_input(y)
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [4, 2, 3])
        with pytest.raises(ArgumentError, match="needs an update_memory"):
            rnn = L.StaticRNN()
            with rnn.step():
                rnn.memory(shape=[-1, 3], batch_ref=rnn.step_input(x))
        rnn = L.StaticRNN()
        with pytest.raises(ArgumentError, match="init must be created before `with rnn.step"), rnn.step():
            rnn.memory(init=L.relu(rnn.step_input(x)))
    with fluid.dygraph.guard(), pytest.raises(ModeError, match="in the imperative mode write a loop"):
        L.StaticRNN()


def test_inputs_of_different_lengths_are_refused_when_they_come():
    def build(a, b):
        a.shape = b.shape = (-1, 2)
        rnn = L.StaticRNN()
        with rnn.step():
            rnn.step_output(rnn.step_input(a) + rnn.step_input(b))
        return rnn()

    with pytest.raises(ShapeError, match=r"recurrent: the inputs must have the same first axis, got a \[3, 2\], b"):
        run(build, a=np.ones((3, 2)), b=np.ones((4, 2)))


def recurrent_training(x):
    attr = fluid.ParamAttr(initializer=fluid.initializer.Uniform(-0.5, 0.5, seed=3))
    outputs, _ = L.rnn(L.LSTMCell(5, param_attr=attr), x)
    loss = L.mean(L.square(L.reduce_sum(outputs, dim=[1, 2], keep_dim=True) - 0.5))
    fluid.optimizer.SGD(0.1).minimize(loss)
    return loss


def test_two_places_train_as_one():
    losses = {}
    for places in (1, 2):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            loss = recurrent_training(fluid.data("x", [None, 4, 3]))
        exe, scope = fluid.Executor(), fluid.Scope()
        with fluid.scope_guard(scope):
            exe.run(startup)
            program = main
            if places > 1:
                program = fluid.CompiledProgram(main).with_data_parallel(loss.name, places=[fluid.CPUPlace()] * places)
            fed = [np.random.RandomState(i).rand(4, 4, 3).astype("float32") for i in range(3)]
            losses[places] = [exe.run(program, feed={"x": x}, fetch_list=[loss])[0].mean() for x in fed]
    np.testing.assert_allclose(losses[2], losses[1], rtol=1e-4)


def test_an_inference_model_holds_the_steps(tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, None, 3])
        out = L.rnn(L.GRUCell(4), x, time_major=True)[0]
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fluid.io.save_inference_model(str(tmp_path), ["x"], [out], exe, main)
        (expected,) = exe.run(main, feed={"x": X.astype("float32")}, fetch_list=[out])
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
        (found,) = exe.run(program, feed={feeds[0]: X.astype("float32")}, fetch_list=fetches)
    np.testing.assert_array_equal(found, expected)


def test_a_program_whose_recurrent_goes_backwards():
    """StaticRNN writes no such program, but others do."""

    def build(x, backwards):
        w = weight()
        out = recurrence(x if backwards else L.reverse(x, [0]), w)
        operator = next(op for op in x.block.ops if op.type == "recurrent")
        operator.attrs["reverse"] = backwards
        return L.mean(L.square((out if backwards else L.reverse(out, [0])) * x))

    values = [gradients_hold(lambda x, b=backwards: build(x, b), X.copy())[0] for backwards in (True, False)]
    assert np.isclose(*values)
