"""What 1.8.5 takes of a program with data parallelism: fed rates, unusual gradients, few samples; with its numbers."""

import numpy as np
import pytest

import paddle.fluid as fluid

F32 = np.float32
RANDOM = np.random.RandomState(0)
FEED = {"x": RANDOM.rand(4, 4).astype(F32), "y": RANDOM.rand(4, 1).astype(F32) * 9}
PLAIN = [0.79432, 0.81603, 0.55082, 0.63336]  # w after one step


@pytest.fixture
def exe():
    return fluid.Executor(fluid.CPUPlace())


def network():
    x, y = fluid.layers.data("x", [4]), fluid.layers.data("y", [1])
    weight = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(0.1))
    predicted = fluid.layers.fc(x, 1, param_attr=weight, bias_attr=False)
    return fluid.layers.mean(fluid.layers.square_error_cost(predicted, y))


def parallel(loss, **options):
    options = {"places": fluid.cpu_places(2), **options}
    return fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(loss and loss.name, **options)


def trained(exe, loss, feed=FEED, **options):
    """The weights after one step on two places."""
    exe.run(fluid.default_startup_program())
    exe.run(parallel(loss, **options), feed=feed, fetch_list=[loss])
    return np.array(fluid.global_scope().find_var("w").get_tensor()).ravel()


def close(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_gradients_are_averaged_before_they_are_clipped(exe):
    loss = network()
    with pytest.warns(UserWarning, match="set_gradient_clip is deprecated"):
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(0.01))
    fluid.optimizer.SGD(0.1).minimize(loss)
    close(trained(exe, loss), [0.10057, 0.10059, 0.10037, 0.10044])


def test_a_learning_rate_is_fed_for_every_place(exe):
    loss = network()
    rate = fluid.layers.data("rate", [1], append_batch_size=False)
    fluid.optimizer.SGD(rate).minimize(loss)
    close(trained(exe, loss, {**FEED, "rate": np.array([0.1, 0.1], F32)}), PLAIN)
    halves = [{"x": FEED["x"][i : i + 2], "y": FEED["y"][i : i + 2], "rate": np.array([0.1], F32)} for i in (0, 2)]
    close(trained(exe, loss, halves), PLAIN)


def test_a_persistable_learning_rate_is_fed_once_for_all(exe):
    loss = network()
    rate = fluid.layers.create_global_var([1], 0.2, "float32", persistable=True, name="rate")
    fluid.optimizer.SGD(rate).minimize(loss)
    close(trained(exe, loss, {**FEED, "rate": np.array([0.1], F32)}), PLAIN)
    close(np.array(fluid.global_scope().find_var("rate").get_tensor()), [0.1])


def test_gradients_are_averaged_before_a_program_changes_them(exe):
    loss = network()
    pairs = [(p, fluid.layers.square(g)) for p, g in fluid.backward.append_backward(loss)]
    fluid.optimizer.SGD(0.01).apply_gradients(pairs)
    close(trained(exe, loss), [-0.38208, -0.41269, -0.10324, -0.18447])


def test_a_gradient_that_differs_between_places_updates_that_of_the_first(exe):
    loss = network()
    weight = fluid.default_main_program().global_block().var("w")
    (gradient,) = fluid.gradients(loss, weight)
    fluid.optimizer.SGD(0.1).apply_gradients([(weight, gradient)])
    with pytest.warns(UserWarning, match="sgd updates the parameter w by a gradient that differs between places"):
        close(trained(exe, loss), [0.40406, 0.56428, 0.41384, 0.74364])


def test_gradients_are_divided_by_the_trainers_too(exe):
    loss = network()
    fluid.optimizer.SGD(0.1).minimize(loss)
    strategy = fluid.BuildStrategy()
    strategy.num_trainers = 2
    with pytest.warns(UserWarning, match="num_trainers=2, but no startup program has met the others"):
        close(trained(exe, loss, build_strategy=strategy), [0.44716, 0.45801, 0.32541, 0.36668])


def test_a_trainer_that_is_not_among_them_is_told(exe):
    loss = network()
    with pytest.raises(ValueError, match="trainer_id must be from 0 to 1, as 2 train .num_trainers., got 5"):
        fluid.ParallelExecutor(False, loss.name, num_trainers=2, trainer_id=5)


def test_a_loss_that_is_not_there_is_a_warning(exe):
    loss = network()
    fluid.optimizer.SGD(0.1).minimize(loss)
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
        "other", places=fluid.cpu_places(2)
    )
    exe.run(fluid.default_startup_program())
    with pytest.warns(UserWarning, match="loss_name='other' is not in the program"):
        exe.run(program, feed=FEED)


def test_a_program_that_does_not_train_runs_on_as_many_places_as_there_are_samples(exe):
    y = fluid.layers.scale(fluid.layers.data("x", [2]), 2.0)
    program = parallel(None, places=fluid.cpu_places(4))
    for feed in ({"x": np.ones((3, 2), F32)}, [{"x": np.ones((1, 2), F32)}] * 3, {"x": np.ones((5, 2), F32)}):
        (found,) = exe.run(program, feed=feed, fetch_list=[y])
        assert found.tolist() == [[2.0, 2.0]] * len(found)
        assert len(found) == (5 if isinstance(feed, dict) and len(feed["x"]) == 5 else 3)


def test_arrays_of_tensors_are_merged_element_by_element(exe):
    x = fluid.layers.data("x", [2])
    array = fluid.layers.array_write(x, fluid.layers.zeros([1], "int64"))
    (found,) = exe.run(parallel(None), feed={"x": np.ones((2, 2), F32)}, fetch_list=[array])
    assert [one.tolist() for one in found] == [[[1.0, 1.0]] * 2]


def test_cpu_num_that_is_not_set_means_one_place(monkeypatch, capfd):
    monkeypatch.delenv("CPU_NUM", raising=False)
    monkeypatch.setattr("multiprocessing.cpu_count", lambda: 8)
    assert len(fluid.cpu_places()) == len(fluid.cpu_places()) == 1
    assert capfd.readouterr().err.count("CPU_NUM is not set") == 1
