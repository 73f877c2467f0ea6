"""Training in float16 and float32. The programs are compared with 1.8.5's in tests/models/test_programs_equal.py."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.contrib import mixed_precision

C = fluid.initializer.Constant


def run(main, startup, feeds, fetches):
    """What the fetches are after each step."""
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    return [exe.run(main, feed=feed, fetch_list=fetches) for feed in feeds]


def test_the_factor_of_the_loss_rises_and_falls_as_in_fluid():
    """Recorded from 1.8.5 with all operators black (it has no float16 products on the CPU)."""
    x = fluid.data("x", [-1, 4])
    loss = layers.mean(layers.fc(x, 3, param_attr=fluid.ParamAttr("w", C(0.5))))
    optimizer = mixed_precision.decorate(
        fluid.optimizer.Momentum(0.1, 0.9), init_loss_scaling=4.0, incr_every_n_steps=2, decr_every_n_nan_or_inf=1,
        incr_ratio=3.0, decr_ratio=0.4,
    )  # fmt: skip
    optimizer.minimize(loss)
    feeds = [{"x": np.full((5, 4), np.nan if i in (4, 5, 6, 9, 10, 11, 12, 13) else 1, "float32")} for i in range(16)]
    fetches = [optimizer.get_loss_scaling(), optimizer._num_good_steps, optimizer._num_bad_steps]
    steps = run(fluid.default_main_program(), fluid.default_startup_program(), feeds, fetches)
    found = [tuple(round(float(value.item()), 4) for value in step) for step in steps]
    assert found == [
        (4, 1, 0), (4, 2, 0), (12, 0, 0), (12, 1, 0), (12, 0, 1), (4.8, 0, 0), (4.8, 0, 1), (4.8, 1, 0), (4.8, 2, 0),
        (4.8, 0, 1), (1.92, 0, 0), (1.92, 0, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 2, 0),
    ]  # fmt: skip


def test_gradients_that_are_not_finite_move_nothing():
    x = fluid.data("x", [-1, 4])
    loss = layers.mean(layers.fc(x, 3, param_attr=fluid.ParamAttr("w", C(0.5)), bias_attr=False))
    mixed_precision.decorate(fluid.optimizer.SGD(0.1)).minimize(loss)
    feeds = [{"x": np.full((5, 4), value, "float32")} for value in (np.inf, 6e4, 1.0)]
    infinite, too_large, fine = run(fluid.default_main_program(), fluid.default_startup_program(), feeds, ["w"])
    assert (infinite[0] == 0.5).all() and (too_large[0] == 0.5).all()  # 6e4 * 2**15 is beyond float16
    assert np.allclose(fine[0], 0.5 - 0.1 / 3, atol=1e-4)


def network(kind):
    label = fluid.data("label", [-1, 1], "int64")
    if kind == "convolutions":
        x = fluid.data("x", [-1, 1, 8, 8])
        x = layers.batch_norm(layers.conv2d(x, 4, 3, padding=1), act="relu")
        x = layers.fc(layers.pool2d(x, 2, pool_stride=2), 16, act="tanh")
    else:
        x = layers.fc(fluid.data("x", [-1, 1, 8, 8]), 32, act="sigmoid")
        x = layers.reshape(x, [-1, 4, 8])
        x = layers.matmul(layers.softmax(layers.matmul(x, x, transpose_y=True)), x)
        x = layers.transpose(layers.scale(x, 2.0), [0, 2, 1])
    return layers.mean(layers.softmax_with_cross_entropy(layers.fc(x, 4), label))


@pytest.mark.parametrize("kind", ["convolutions", "attention"])
def test_a_training_in_float16_follows_one_in_float32(kind):
    random = np.random.RandomState(3)
    images, labels = random.randn(16, 1, 8, 8).astype("float32"), random.randint(0, 4, (16, 1))
    feeds = [{"x": images, "label": labels}] * 12
    losses = {}
    for precision in ("float32", "float16"):
        main, startup = fluid.Program(), fluid.Program()
        main.random_seed = startup.random_seed = 5
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            loss = network(kind)
            optimizer = fluid.optimizer.Momentum(0.1, 0.9)
            if precision == "float16":
                optimizer = mixed_precision.decorate(optimizer, init_loss_scaling=128.0)
            optimizer.minimize(loss)
        with fluid.scope_guard(fluid.Scope()):
            losses[precision] = [float(step[0].item()) for step in run(main, startup, feeds, [loss])]
    halves = [op for op in main.global_block().ops if op.type == "cast" and op.attr("out_dtype") == 4]
    assert len(halves) >= 4
    assert losses["float32"][-1] < 0.7 * losses["float32"][0]
    assert np.allclose(losses["float16"], losses["float32"], rtol=0.03, atol=0.01)
    assert losses["float16"] != losses["float32"]


def test_products_are_computed_in_float16():
    x = fluid.data("x", [-1, 2])
    product = layers.fc(x, 1, param_attr=C(1.0), bias_attr=False)
    mixed_precision.decorate(fluid.optimizer.SGD(0.0), use_dynamic_loss_scaling=False).minimize(layers.mean(product))
    feed = {"x": np.array([[2048, 1]], "float32")}  # the sum lies between two numbers of float16
    ((found,),) = run(fluid.default_main_program(), fluid.default_startup_program(), [feed], [product])
    assert found.dtype == np.float16 and found.item() == 2048


def test_two_optimizers_may_share_a_program():
    x = fluid.data("x", [-1, 4])
    hidden = layers.fc(x, 3, act="relu", param_attr=fluid.ParamAttr("w", C(0.5)))
    first, second = layers.mean(hidden), layers.mean(layers.square(hidden))
    mixed_precision.decorate(fluid.optimizer.SGD(0.1)).minimize(first, parameter_list=["w"])
    with pytest.warns(UserWarning, match="minimized before and updates w already"):
        mixed_precision.decorate(fluid.optimizer.SGD(0.1)).minimize(second, parameter_list=["w"])
    names = [op.output("Out")[0] for op in fluid.default_main_program().global_block().ops if op.type == "cast"]
    assert names.count("x.cast_fp16") == 1
    feed = {"x": np.ones((2, 4), "float32")}
    ((w,),) = run(fluid.default_main_program(), fluid.default_startup_program(), [feed], ["w"])
    assert np.allclose(w, 0.5 - 0.1 / 3 - 0.1 * 2 * 2 / 3, atol=1e-2)


def test_blocks_read_float32():
    """What a loop reads is cast before it, and the operators inside read the cast."""
    x = fluid.data("x", [-1, 4])
    hidden = layers.fc(x, 4, param_attr=fluid.ParamAttr("w", C(0.25)), bias_attr=False)
    steps = layers.reshape(hidden, [3, 2, 4])
    rnn = layers.StaticRNN()
    with rnn.step():
        step = rnn.step_input(steps)
        memory = rnn.memory(shape=[-1, 4], batch_ref=steps)
        total = layers.elementwise_add(memory, layers.tanh(step))
        rnn.update_memory(memory, total)
        rnn.step_output(total)
    loss = layers.mean(rnn())
    mixed_precision.decorate(fluid.optimizer.SGD(0.1)).minimize(loss)
    feeds = [{"x": np.full((6, 4), 0.5, "float32")}] * 3
    losses = run(fluid.default_main_program(), fluid.default_startup_program(), feeds, [loss])
    assert abs(losses[0][0].item() - 2 * np.tanh(0.5)) < 1e-3
    assert losses[2][0].item() < losses[0][0].item()


@pytest.mark.parametrize("dynamic", [True, False])
def test_sparse_gradients_are_scaled_too(dynamic):
    ids = fluid.data("ids", [-1, 1], "int64")
    loss = layers.reduce_sum(layers.embedding(ids, [4, 2], is_sparse=True, param_attr=fluid.ParamAttr("t", C(1.0))))
    optimizer = mixed_precision.decorate(fluid.optimizer.SGD(0.25), use_dynamic_loss_scaling=dynamic)
    optimizer.minimize(loss)
    feed = {"ids": np.array([[1], [3], [1]])}
    ((table,),) = run(fluid.default_main_program(), fluid.default_startup_program(), [feed], ["t"])
    assert table[:, 0].tolist() == [1.0, 0.5, 1.0, 0.75]


def test_own_lists_change_the_lists():
    lists = mixed_precision.AutoMixedPrecisionLists(["exp", "my_op"], ["mul", "relu"])
    assert {"exp", "my_op"} <= lists.white_list and "mul" not in lists.white_list
    assert {"mul", "relu"} <= lists.black_list and "exp" not in lists.black_list
    assert "relu" not in lists.gray_list
    assert "mul" in mixed_precision.AutoMixedPrecisionLists().white_list


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mixed_precision.AutoMixedPrecisionLists(["exp"], ["exp"]), "exp is in custom_white_list and in"),
        (lambda: mixed_precision.decorate("adam"), "decorate: optimizer must be an optimizer, got str"),
        (lambda: mixed_precision.decorate(fluid.optimizer.SGD(0.1), {"mul"}), "AutoMixedPrecisionLists, got set"),
        (lambda: mixed_precision.decorate(fluid.optimizer.SGD(0.1)).minimize(3.0), "loss must be a Variable of"),
    ],
)  # fmt: skip
def test_refusals(call, says):
    with pytest.raises((TypeError, ValueError), match=says):
        call()


def test_the_imperative_mode_is_refused():
    with fluid.dygraph.guard(), pytest.raises(TypeError, match="decorate: mixed precision rewrites programs"):
        mixed_precision.decorate(fluid.optimizer.SGD(0.1))


def test_a_loss_of_another_program_is_refused():
    optimizer = mixed_precision.decorate(fluid.optimizer.SGD(0.1))
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        loss = layers.mean(layers.fc(fluid.data("x", [-1, 4]), 1))
        with pytest.raises(ValueError, match="call decorate under the same fluid.program_guard"):
            optimizer.minimize(loss)
