"""Programs with branches, loops and recurrences: written, read, copied and printed, they compute and train the same."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers

X = np.random.RandomState(0).rand(4, 3).astype("float32")


def static_rnn(x):
    rnn = layers.StaticRNN()
    rows = layers.reshape(x, [2, 2, 3])
    with rnn.step():
        row = rnn.step_input(rows)
        before = rnn.memory(shape=[-1, 5], batch_ref=row)
        after = layers.fc([row, before], 5, act="tanh")
        rnn.update_memory(before, after)
        rnn.step_output(after)
    return rnn()


def while_over_an_array(x):
    i, n = (layers.fill_constant([1], "int64", number) for number in (0, 3))
    array = layers.array_write(layers.fc(x, 3), i)
    test = layers.less_than(i, n)
    with layers.While(test).block():
        h = layers.fc(layers.array_read(array, i), 3, act="tanh", param_attr="w", bias_attr="b")
        layers.increment(i, in_place=True)
        layers.array_write(h, i, array)
        layers.less_than(i, n, cond=test)
    return layers.array_read(array, n)


def if_else(x):
    total = layers.reduce_sum(x, dim=1, keep_dim=True)
    limit = layers.fill_constant_batch_size_like(total, [-1, 1], "float32", 1.5)
    either = layers.IfElse(layers.less_than(total, limit))
    with either.true_block():
        either.output(layers.fc(either.input(x), 2))
    with either.false_block():
        either.output(layers.fc(either.input(x), 2, act="tanh"))
    return either()[0]


def dynamic_rnn(x):
    rnn = layers.DynamicRNN()
    with rnn.block():
        row = rnn.step_input(x)
        before = rnn.memory(shape=[4], value=0.0)
        after = layers.fc([row, before], 4, act="tanh")
        rnn.update_memory(before, after)
        rnn.output(after)
    return layers.sequence_pool(rnn(), "last")


def cond(x):
    return layers.cond(layers.reduce_sum(x) > 5, lambda: layers.fc(x, 2), lambda: layers.fc(x, 2, act="tanh"))


def case(x):
    total = layers.reduce_sum(x)
    ways = [(total < 1, lambda: layers.fc(x, 2)), (total < 50, lambda: layers.fc(x, 2, act="tanh"))]
    return layers.case(ways, default=lambda: layers.fc(x, 2, act="relu"))


def switch_case(x):
    index = layers.cast(layers.reduce_sum(x) > 100, "int32")
    return layers.switch_case(index, {0: lambda: layers.fc(x, 2), 1: lambda: x * 2}, default=lambda: x)


def while_loop_that_begins_with_a_feed(x):
    def body(i, h):
        return [i + 1, layers.fc(h, 3, act="tanh", param_attr="w", bias_attr="b")]

    return layers.while_loop(lambda i, h: i < 3, body, [layers.fill_constant([1], "int64", 0), x])[1]


def switch(x):
    factor = layers.create_global_var([1], 0.0, "float32", persistable=True, name="factor")
    with layers.Switch() as choice:
        with choice.case(layers.reduce_sum(x) > layers.fill_constant([1], "float32", 1.0)):
            layers.assign(layers.fill_constant([1], "float32", 3.0), factor)
        with choice.default():
            layers.assign(layers.fill_constant([1], "float32", 1.0), factor)
    return layers.fc(x, 2) * factor


NETS = [
    static_rnn, while_over_an_array, if_else, dynamic_rnn, cond, case, switch_case, while_loop_that_begins_with_a_feed,
    switch,
]  # fmt: skip


def fed(net, array=X):
    return {"x": fluid.create_lod_tensor(array, [[1, 2, 1]], fluid.CPUPlace()) if net is dynamic_rnn else array}


def build(net):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 5
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 3], lod_level=1 if net is dynamic_rnn else 0)
        x.stop_gradient = False
        loss = layers.mean(net(x))
        test = main.clone(for_test=True)
        fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    return main, startup, test, loss.name


@pytest.mark.parametrize("net", NETS)
def test_an_inference_model_of_control_flow_computes_the_same(net, tmp_path):
    _, startup, test, loss = build(net)
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        expected = exe.run(test, fed(net), [loss])[0]
        fluid.io.save_inference_model(str(tmp_path), ["x"], [test.global_block().var(loss)], exe, test)
    with fluid.scope_guard(fluid.Scope()):
        program, names, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
        assert names == ["x"]
        np.testing.assert_allclose(exe.run(program, fed(net), fetches)[0], expected, rtol=1e-6)


@pytest.mark.parametrize("net", NETS)
def test_a_program_of_control_flow_trains_the_same_read_back_and_copied(net):
    main, startup, test, loss = build(net)
    read = fluid.Program.parse_from_string(main.desc.serialize_to_string())
    assert "sub_block" in str(main) and str(main.clone()) == str(main)
    assert [op.type for op in read.operators()] == [op.type for op in main.operators()]
    assert not any(op.type.endswith("_grad") for op in test.global_block().ops)
    found = []
    for program in (main, read, main.clone()):
        with fluid.scope_guard(fluid.Scope()):
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup)
            fetches = [loss, "x@GRAD"]
            found.append(
                [[np.asarray(v) for v in exe.run(program, fed(net), fetches, return_numpy=False)] for _ in range(3)]
            )
    for other in found[1:]:
        for ours, theirs in zip(found[0], other, strict=True):
            for a, b in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-6)
    assert not np.array_equal(found[0][0][0], found[0][2][0])  # it has trained


@pytest.mark.parametrize("net", NETS)
def test_gradients_of_control_flow_are_those_of_finite_differences(net):
    main, startup, test, loss = build(net)
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        numeric = np.zeros_like(X)
        for at in np.ndindex(*X.shape):
            step = np.zeros_like(X)
            step[at] = 1e-2
            up, down = (float(exe.run(test, fed(net, X + one), [loss])[0][0]) for one in (step, -step))
            numeric[at] = (up - down) / 2e-2
        found = np.asarray(exe.run(main, fed(net), ["x@GRAD"], return_numpy=False)[0])
    np.testing.assert_allclose(found, numeric, atol=2e-4)
