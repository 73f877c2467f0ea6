"""Parameters are updated while the backward pass runs, a group at a time, with the same results."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.executor.passes import early_updates

F32 = np.float32


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(early_updates, "ENOUGH", 60)


def network():
    x, label = fluid.data("x", [None, 8]), fluid.data("label", [None, 1], "int64")
    hidden = x
    for _ in range(4):
        hidden = fluid.layers.fc(hidden, 8, act="tanh")
    return fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(fluid.layers.fc(hidden, 3), label))


def plain():
    fluid.optimizer.Momentum(0.1, 0.9).minimize(network())


def with_decay():
    fluid.optimizer.Adam(0.1, regularization=fluid.regularizer.L2Decay(0.01)).minimize(network())


def clipped_by_all():
    clip = fluid.clip.GradientClipByGlobalNorm(0.1)
    fluid.optimizer.SGD(0.1, grad_clip=clip).minimize(network())


def schedule():
    fluid.optimizer.SGD(fluid.layers.exponential_decay(0.1, 2, 0.5)).minimize(network())


def shared_weights():
    x, label = fluid.data("x", [None, 8]), fluid.data("label", [None, 1], "int64")
    hidden = x
    for i in range(6):
        hidden = fluid.layers.fc(hidden, 8, act="tanh", param_attr=f"w_{i % 2}", bias_attr=f"b_{i % 2}")
    loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(fluid.layers.fc(hidden, 3), label))
    fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)


def parameters_that_are_read_afterwards():
    plain()
    block = fluid.default_main_program().global_block()
    after = fluid.layers.sums([fluid.layers.reduce_sum(one) for one in block.all_parameters()])
    fluid.layers.assign(after, fluid.layers.create_global_var([1], 0.0, "float32", persistable=True))


def average():
    plain()
    fluid.optimizer.ExponentialMovingAverage(0.9).update()


WORKS = [
    plain, with_decay, clipped_by_all, schedule, shared_weights, parameters_that_are_read_afterwards, average,
]  # fmt: skip


def trained(work):
    """All persistable variables after three steps, and the source of the plan."""
    main, start = fluid.Program(), fluid.Program()
    main.random_seed = start.random_seed = 1
    rng = np.random.RandomState(0)
    with fluid.program_guard(main, start), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        work()
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(start)
        names = sorted(one.name for one in main.list_vars() if one.persistable)
        gradient = next(name for name in main.global_block().vars if name.endswith("w_0@GRAD"))
        for _ in range(3):
            feed = {"x": rng.rand(6, 8).astype(F32), "label": rng.randint(0, 3, (6, 1))}
            exe.run(feed=feed, fetch_list=[gradient])
        values = [np.array(fluid.global_scope().find_var(name).get_tensor()) for name in names]
        return dict(zip(names, values, strict=True)), main.to_source(feed=["x", "label"], fetch_list=[])


def calls(source):
    return [line.split("(")[0].split("= ")[-1].strip() for line in source.splitlines() if "(" in line]


@pytest.mark.parametrize("work", WORKS)
def test_the_results_are_the_same_bit_by_bit(work, monkeypatch):
    expected, _ = trained(work)
    for enough in (1, 60, 150):
        monkeypatch.setattr(early_updates, "ENOUGH", enough)
        found, _ = trained(work)
        assert found.keys() == expected.keys()
        for name in found:
            np.testing.assert_array_equal(found[name], expected[name], err_msg=f"{name}, {enough}")


@pytest.mark.parametrize("work", [plain, with_decay])
def test_updates_come_between_the_gradients(work, small_groups):
    found = calls(trained(work)[1])
    updates = [i for i, name in enumerate(found) if "_all" in name]
    gradients = [i for i, name in enumerate(found) if name == "mul_grad"]
    assert len(updates) >= 3
    assert updates[0] < gradients[-1]


def test_small_programs_are_updated_at_the_end():
    found = calls(trained(plain)[1])
    updates = [i for i, name in enumerate(found) if "_all" in name]
    assert len(updates) == 1
    assert updates[0] > found.index("mul_grad")


def test_nothing_is_updated_before_all_gradients_are_checked(small_groups):
    fluid.set_flags({"FLAGS_check_nan_inf": True})
    try:
        found = calls(trained(plain)[1])
    finally:
        fluid.set_flags({"FLAGS_check_nan_inf": False})
    assert len([name for name in found if "_all" in name]) == 1


def test_nothing_moves_across_what_a_user_prints(small_groups):
    def printing():
        loss = network()
        gradients = fluid.optimizer.SGD(0.1).backward(loss)
        fluid.layers.Print(loss, first_n=0)
        fluid.optimizer.SGD(0.1).apply_gradients(gradients)

    found = calls(trained(printing)[1])
    assert min(i for i, name in enumerate(found) if "_all" in name) > found.index("print")
