"""Convolutional networks that predict as one call of C++ code."""

import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.executor.network.network import Network
from refluid.native import call as native

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler")


@pytest.fixture
def taken(monkeypatch):
    """Whether each call of a network took its inputs."""
    calls = []
    run = Network.run

    def told(network, inputs):
        results = run(network, inputs)
        calls.append(results is not None)
        return results

    monkeypatch.setattr(Network, "run", told)
    return calls


def image(channels=3, size=17):
    return fluid.data("x", [None, channels, size, size])


def some(*shape, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")


def results(fetches, x, optimize=True):
    exe = fluid.Executor()
    exe.optimize = optimize
    program = fluid.default_main_program().clone(for_test=True)
    return exe.run(program, feed={"x": x}, fetch_list=fetches)


def start():
    fluid.default_startup_program().random_seed = 7
    fluid.Executor().run(fluid.default_startup_program())


def check(fetches, x):
    """The network gives what the operators give, one by one."""
    start()
    for one, other in zip(results(fetches, x), results(fetches, x, optimize=False), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-6 * max(1, np.abs(other[np.isfinite(other)]).max()))


def bottleneck(x, filters, stride):
    def conv_bn(x, filters, size, stride=1, act=None):
        x = fluid.layers.conv2d(x, filters, size, stride, padding=size // 2, bias_attr=False)
        return fluid.layers.batch_norm(x, act=act)

    short = conv_bn(x, filters * 4, 1, stride)
    x = conv_bn(conv_bn(x, filters, 1, act="relu"), filters, 3, stride, act="relu")
    return fluid.layers.elementwise_add(short, conv_bn(x, filters * 4, 1), act="relu")


@pytest.mark.parametrize("batch", [1, 3, 8])
def test_a_residual_network(taken, batch):
    x = fluid.layers.conv2d(image(), 8, 7, stride=2, padding=3, act="relu")
    x = fluid.layers.pool2d(x, 3, "max", 2, 1)
    x = bottleneck(bottleneck(x, 5, 1), 9, 2)
    x = fluid.layers.pool2d(x, pool_type="avg", global_pooling=True)
    check([fluid.layers.fc(x, 11, act="softmax")], some(batch, 3, 17, 17))
    assert taken == [True]


@pytest.mark.parametrize("channels", [1, 3, 7, 8, 9, 16, 20, 33])
@pytest.mark.parametrize("filters", [1, 8, 15, 24, 50])
def test_any_number_of_channels(taken, channels, filters):
    x = fluid.layers.conv2d(image(channels, 9), filters, 3, act="relu")
    check([fluid.layers.fc(fluid.layers.conv2d(x, 6, 3), 4)], some(2, channels, 9, 9))
    assert taken == [True]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", [0, 1, 4])
@pytest.mark.parametrize("dilation", [1, 2])
def test_any_window(taken, size, stride, padding, dilation):
    x = fluid.layers.conv2d(image(4, 13), 9, size, stride, padding, dilation)
    check([fluid.layers.conv2d(x, 3, 1, padding=1)], some(3, 4, 13, 13))
    assert taken == [True]


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("exclusive", [True, False])
def test_pooling(taken, kind, exclusive):
    x = fluid.layers.conv2d(image(3, 12), 10, 3)
    x = fluid.layers.pool2d(x, [3, 2], kind, [2, 1], [1, 1], exclusive=exclusive)
    check([fluid.layers.relu(x)], some(2, 3, 12, 12))
    assert taken == [True]


def test_values_on_the_way_can_be_fetched(taken):
    first = fluid.layers.conv2d(image(), 5, 3, padding=1)
    second = fluid.layers.relu(first)
    third = fluid.layers.elementwise_add(second, fluid.layers.conv2d(second, 5, 3, padding=1))
    check([first, third, second, third], some(2, 3, 17, 17))
    assert taken == [True]


def test_many_sums_are_exact(taken):
    x = fluid.layers.conv2d(image(600, 4), 4, 3, padding=1, param_attr="w", bias_attr=False)
    start()
    weights = some(4, 600, 3, 3, seed=1)
    fluid.global_scope().find_var("w").get_tensor().set(weights, fluid.CPUPlace())
    fed = some(1, 600, 4, 4)
    padded = np.pad(fed[0].astype("float64"), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    exact = np.einsum("cyxij,fcij->fyx", windows, weights)
    error = np.abs(results([x], fed)[0][0] - exact).max() / np.abs(exact).max()
    assert error < 1e-6
    assert taken == [True]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_so(taken, bad):
    x = fluid.layers.conv2d(image(3, 9), 9, 3, padding=1, act="relu")
    x = fluid.layers.pool2d(x, 3, "max", 2, 1)
    fed = some(2, 3, 9, 9)
    fed[0, 1, 4, 4] = bad
    check([x], fed)
    assert taken == [True]


@pytest.mark.parametrize("size, padding", [(10, 1), (11, 1), (13, 0), (12, 2), (15, (1, 0))])
@pytest.mark.parametrize("channels, filters", [(32, 40), (35, 33)])
def test_winograd_patches(taken, size, padding, channels, filters):
    x = fluid.layers.conv2d(image(3, size), channels, 1, act="relu")
    y = fluid.layers.conv2d(x, filters, 3, padding=padding, bias_attr=fluid.initializer.Uniform())
    y = fluid.layers.conv2d(y, filters, 3, padding=1, act="relu")
    check([fluid.layers.elementwise_add(y, fluid.layers.conv2d(y, filters, 3, padding=1))], some(3, 3, size, size))
    assert taken == [True]


def test_sums_of_winograd_patches_are_exact(taken):
    x = fluid.layers.conv2d(image(256, 14), 32, 3, padding=1, param_attr="w", bias_attr=False)
    start()
    weights = some(32, 256, 3, 3, seed=1)
    fluid.global_scope().find_var("w").get_tensor().set(weights, fluid.CPUPlace())
    fed = some(1, 256, 14, 14)
    padded = np.pad(fed[0].astype("float64"), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    exact = np.einsum("cyxij,fcij->fyx", windows, weights)
    error = np.abs(results([x], fed)[0][0] - exact).max() / np.abs(exact).max()
    assert error < 1e-6
    assert taken == [True]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_winograd_patches_leave_what_is_not_finite_to_the_operators(taken, bad):
    x = fluid.layers.conv2d(image(32, 12), 32, 3, padding=1, act="relu")
    fed = some(2, 32, 12, 12)
    fed[0, 1, 4, 4] = bad
    check([x], fed)
    assert taken == [False]


def test_infinite_weights_take_the_other_road(taken):
    x = fluid.layers.conv2d(image(3, 9), 4, 3, padding=1, param_attr="w", bias_attr=False)
    start()
    weights = some(4, 3, 3, 3)
    weights[0, 0, 0, 0] = np.inf
    fluid.global_scope().find_var("w").get_tensor().set(weights, fluid.CPUPlace())
    inside = results([x], some(1, 3, 9, 9))[0][0, 0, 1:, 1:]
    assert np.isinf(inside).all()  # and not NaN
    assert taken == [False]


def test_changed_parameters_are_seen(taken):
    x = fluid.layers.fc(fluid.layers.conv2d(image(3, 5), 4, 3, param_attr="w"), 2)
    start()
    exe, program = fluid.Executor(), fluid.default_main_program().clone(for_test=True)
    fed = {"x": some(1, 3, 5, 5)}
    before = exe.run(program, feed=fed, fetch_list=[x])[0]
    tensor = fluid.global_scope().find_var("w").get_tensor()
    tensor.set(2 * np.array(tensor), fluid.CPUPlace())
    after = exe.run(program, feed=fed, fetch_list=[x])[0]
    exe.optimize = False
    assert not np.allclose(before, after)
    np.testing.assert_allclose(after, exe.run(program, feed=fed, fetch_list=[x])[0], rtol=1e-5, atol=1e-6)


def test_images_that_do_not_match_are_refused_as_ever():
    x = fluid.layers.conv2d(fluid.layers.data("x", [-1, 3, 8, 8], append_batch_size=False), 4, 3)
    start()
    with pytest.raises(Exception, match="conv2d") as one:
        results([x], some(1, 2, 8, 8))
    with pytest.raises(Exception, match="conv2d") as other:
        results([x], some(1, 2, 8, 8), optimize=False)
    assert str(one.value).splitlines()[0] == str(other.value).splitlines()[0]


def test_threads_do_not_share_memory(taken):
    x = fluid.layers.conv2d(fluid.layers.conv2d(image(3, 40), 16, 3, act="relu"), 16, 3)
    start()
    exe, program, scope = fluid.Executor(), fluid.default_main_program().clone(for_test=True), fluid.global_scope()
    fed = [some(2, 3, 40, 40, seed=seed) for seed in range(4)]

    def predict(one):
        return exe.run(program, feed={"x": one}, fetch_list=[x.name], scope=scope)[0]

    expected = [predict(one) for one in fed]
    wrong = []

    def work(i):
        wrong.extend(i for _ in range(20) if not np.array_equal(predict(fed[i]), expected[i]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong
    assert all(taken)


def test_a_forked_process_predicts(taken):
    x = fluid.layers.conv2d(image(3, 40), 16, 3)
    start()
    exe, program, scope = fluid.Executor(), fluid.default_main_program().clone(for_test=True), fluid.global_scope()
    fed = {"x": some(4, 3, 40, 40)}
    expected = exe.run(program, feed=fed, fetch_list=[x])[0]
    child = multiprocessing.get_context("fork").Process(
        target=lambda: os._exit(
            not np.array_equal(exe.run(program, feed=fed, fetch_list=[x.name], scope=scope)[0], expected)
        )
    )
    child.start()
    child.join(60)
    assert child.exitcode == 0


def test_without_optimisation_there_is_no_network(taken):
    x = fluid.layers.conv2d(image(), 4, 3)
    start()
    results([x], some(1, 3, 17, 17), optimize=False)
    assert taken == []
    program = fluid.default_main_program()
    assert "network(" not in program.to_source(feed=["x"], fetch_list=[x], optimize=False)
    assert "network(" in program.to_source(feed=["x"], fetch_list=[x])


_PREDICTION = """
import warnings
import numpy as np
import paddle.fluid as fluid
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    x = fluid.layers.conv2d(fluid.data("x", [None, 1, 3, 3]), 1, 3, param_attr=fluid.initializer.Constant(2.0))
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    for _ in range(2):
        print(exe.run(feed={"x": np.ones([1, 1, 3, 3], "float32")}, fetch_list=[x])[0].tolist())
print(sum("cannot be built" in str(one.message) for one in told))
"""


@pytest.mark.parametrize(
    ("variables", "warned"),
    [({"CXX": "no-such-compiler"}, "1"), ({"CXX": "no-such-compiler", "FLAGS_refluid_native": "0"}, "0")],
)
def test_without_a_compiler_the_results_are_the_same(tmp_path, variables, warned):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), **variables}
    done = subprocess.run(
        [sys.executable, "-c", _PREDICTION], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.splitlines() == ["[[[[18.0]]]]", "[[[[18.0]]]]", warned], done.stderr[-2000:]
