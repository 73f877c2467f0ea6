"""What holds where the generations disagree (docs/generations.md), rule by rule, in the spellings of each."""

import contextlib
import warnings

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from refluid.core import places
from refluid.core.errors import EnforceNotMet

D, L = fluid.dygraph, fluid.layers


@contextlib.contextmanager
def enabled_dygraph():
    fluid.enable_dygraph()
    try:
        yield
    finally:
        fluid.disable_dygraph()


@contextlib.contextmanager
def enabled_imperative():
    paddle.enable_imperative()
    try:
        yield
    finally:
        paddle.disable_imperative()


SWITCHES = {
    "guard": D.guard,
    "enable_dygraph": enabled_dygraph,
    "imperative.guard": lambda: paddle.imperative.guard(),
    "enable_imperative": enabled_imperative,
}
switched = pytest.mark.parametrize("switch", SWITCHES.values(), ids=SWITCHES)


def var(values):
    return D.to_variable(np.array(values, "float32"))


@switched
def test_the_static_mode_is_the_default_and_comes_back_after_an_error(switch):
    assert not fluid.in_dygraph_mode()
    with pytest.raises(KeyError), switch():
        assert fluid.in_dygraph_mode()
        raise KeyError
    assert not fluid.in_dygraph_mode()


REDUCED = {
    "mean": lambda x: L.mean(x),
    "reduce_sum": lambda x: L.reduce_sum(x),
    "reduce_max": lambda x: L.reduce_max(x, dim=[0, 1]),
    "mse_loss": lambda x: L.mse_loss(x, x),
    "accuracy": lambda x: L.accuracy(x, L.cast(L.reduce_sum(x, dim=1, keep_dim=True) * 0.0, "int64")),
    "an element of a vector": lambda x: L.reduce_sum(x, dim=1)[0],
    "size": lambda x: L.size(x),
    "paddle.mean": lambda x: paddle.mean(x),
    "paddle.dot": lambda x: paddle.dot(L.reduce_sum(x, dim=1), L.reduce_sum(x, dim=1)),
}


@pytest.mark.parametrize("name", REDUCED)
def test_there_are_no_tensors_without_axes(name):
    x = fluid.data("x", [2, 3])
    out = REDUCED[name](x)
    (found,) = fluid.Executor(fluid.CPUPlace()).run(feed={"x": np.ones((2, 3), "float32")}, fetch_list=[out])
    assert tuple(out.shape) == (1,) and found.shape == (1,)
    with D.guard():
        assert REDUCED[name](var(np.ones((2, 3)))).shape == [1]


def test_the_version_is_digits_and_dots_that_programs_compare():
    assert [int(part) for part in paddle.__version__.split(".")] >= [1, 8, 0]
    fluid.require_version("1.8.0")
    with pytest.raises(Exception, match="99"):
        fluid.require_version("99.0.0")


@switched
def test_inputs_get_gradients_where_nothing_asks_for_them(switch):
    with switch():
        x = var([1.0, 2.0])
        L.reduce_sum(x * x).backward()
        assert x.gradient().tolist() == [2.0, 4.0]
        linear = D.Linear(2, 1)
        x = var([[1.0, 2.0]])
        L.mean(linear(x)).backward()
        assert x.gradient() is None or not x.gradient().any()
        assert linear.weight.gradient().any()


@switched
def test_gradients_of_stopped_and_of_absent_variables(switch):
    with switch():
        x, stopped, absent = var([1.0]), var([2.0]), var([3.0])
        x.stop_gradient = False
        loss = x * stopped
        loss.backward()
        assert x.gradient() == [2.0] and absent.gradient() is None
        if switch in (SWITCHES["guard"], SWITCHES["enable_dygraph"]):
            assert stopped.gradient() is None  # 1.8.5
        else:
            assert stopped.gradient() == [0.0]  # 2.0-alpha
        (x * 5.0).backward()  # replaces
        assert x.gradient() == [5.0]


@switched
def test_an_optimizer_without_a_list_updates_what_the_loss_reaches(switch):
    with switch():
        used, other = D.Linear(2, 1), D.Linear(2, 1)
        before = used.weight.numpy(), other.weight.numpy()
        sgd = fluid.optimizer.SGD(0.1)
        loss = L.mean(used(var([[1.0, 2.0]])))
        loss.backward()
        sgd.minimize(loss)
        assert not np.array_equal(used.weight.numpy(), before[0]) and np.array_equal(other.weight.numpy(), before[1])
        with pytest.raises(EnforceNotMet, match="parameter_list is needed in the imperative mode"):
            paddle.optimizer.SGD(0.1)


def test_both_optimizers_need_no_list_in_a_program():
    for optimizer in (fluid.optimizer.SGD, paddle.optimizer.SGD):
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            _, pairs = optimizer(0.1).minimize(L.mean(L.fc(fluid.data("x", [None, 2]), 1)))
            assert len(pairs) == 2


@switched
def test_programs_run_and_are_saved_while_the_imperative_mode_is_on(switch, tmp_path):
    x = fluid.data("x", [None, 2])
    out = L.fc(x, 1)
    main, startup = fluid.default_main_program(), fluid.default_startup_program()
    scope = fluid.global_scope()
    feed = {"x": np.ones((3, 2), "float32")}
    with switch():
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup, scope=scope)
        (before,) = exe.run(main, feed=feed, fetch_list=[out], scope=scope)
        with fluid.scope_guard(scope):
            fluid.io.save_inference_model(str(tmp_path), ["x"], [out], exe, main)
            program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
            (after,) = exe.run(program, feed={feeds[0]: feed["x"]}, fetch_list=fetches)
        assert np.array_equal(before, after) and fluid.in_dygraph_mode()


def test_data_of_layers_has_a_batch_axis_and_fluid_data_has_none():
    assert L.data("a", [3]).shape == (-1, 3)
    assert L.data("b", [3], append_batch_size=False).shape == (3,)
    assert fluid.data("c", [3]).shape == (3,) and fluid.data("d", [None, 3]).shape == (-1, 3)


@pytest.mark.skipif(fluid.core.get_cuda_device_count() > 0, reason="the machine has CUDA")
def test_a_cuda_place_without_cuda_runs_on_the_cpu_and_says_so_once():
    places._warn_once.cache_clear()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(2):
            with D.guard(fluid.CUDAPlace(0)):
                assert (var([1.0]) + 1).numpy() == [2.0]
            fluid.Executor(fluid.CUDAPlace(0)).run(fluid.Program())
    assert len([one for one in seen if "CUDA" in str(one.message)]) == 1
    fluid.set_flags({"FLAGS_refluid_strict_place": True})
    try:
        with pytest.raises(EnforceNotMet, match="this machine has 0 CUDA devices"), D.guard(fluid.CUDAPlace(0)):
            pass
        assert not fluid.in_dygraph_mode()
    finally:
        fluid.set_flags({"FLAGS_refluid_strict_place": False})


def test_the_same_seed_gives_the_same_parameters_in_both_modes():
    def static():
        main, startup = fluid.Program(), fluid.Program()
        main.random_seed = startup.random_seed = 11
        with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
            layer = D.Linear(3, 4)
            fluid.Executor(fluid.CPUPlace()).run(startup)
            return np.array(fluid.global_scope().find_var(layer.weight.name).get_tensor())

    def imperative():
        with D.guard():
            fluid.default_startup_program().random_seed = fluid.default_main_program().random_seed = 11
            return D.Linear(3, 4).weight.numpy()

    assert np.array_equal(static(), static()) and np.array_equal(imperative(), imperative())
