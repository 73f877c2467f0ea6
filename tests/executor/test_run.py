"""Executor.run: feeds, fetches, LoD, scopes."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

F32 = np.float32


@pytest.fixture
def exe():
    return fluid.Executor(fluid.CPUPlace())


def weight(name, value):
    return fluid.layers.create_parameter(
        [len(value)],
        "float32",
        name=name,
        default_initializer=fluid.initializer.NumpyArrayInitializer(np.array(value, F32)),
    )


def value_of(name, scope=None):
    return np.array((scope or fluid.global_scope()).find_var(name).get_tensor())


def test_a_program_without_feeds_runs(exe):
    out = fluid.layers.fill_constant([2, 2], "float32", 3.0) * 2
    assert exe.run(fetch_list=[out])[0].tolist() == [[6.0, 6.0], [6.0, 6.0]]


def test_a_run_without_fetches_gives_an_empty_list_and_still_updates(exe):
    w = weight("w", [1.0])
    fluid.optimizer.SGD(0.5).minimize(fluid.layers.reduce_sum(w))
    assert exe.run(fluid.default_startup_program()) == []
    assert exe.run() == []
    assert value_of("w").tolist() == [0.5]


def test_fetches_are_named_by_variable_or_name_in_any_order_and_number(exe):
    x = fluid.data("x", [None, 2])
    y = fluid.layers.scale(x, 2.0)
    feed = {"x": np.ones((1, 2), F32)}
    found = exe.run(feed=feed, fetch_list=[y.name, x, y, "x"])
    assert [f[0, 0] for f in found] == [2.0, 1.0, 2.0, 1.0]
    assert exe.run(feed=feed, fetch_list=y)[0][0, 0] == exe.run(feed=feed, fetch_list=y.name)[0][0, 0] == 2.0


def test_a_fetched_array_is_the_users_own(exe):
    w = weight("w", [1.0, 2.0])
    out = fluid.layers.scale(w, 1.0)
    exe.run(fluid.default_startup_program())
    for found in exe.run(fetch_list=[w, out]):
        found[:] = 7
    assert value_of("w").tolist() == [1.0, 2.0]
    kept = exe.run(fetch_list=[w], return_numpy=False)[0]
    kept.set(np.zeros(2, F32), fluid.CPUPlace())
    assert value_of("w").tolist() == [1.0, 2.0]


def test_a_feed_is_not_changed(exe):
    x = fluid.data("x", [None, 2])
    out = fluid.layers.relu(fluid.layers.relu(x) - 3.0)
    given = np.array([[-1, 5]], F32)
    exe.run(feed={"x": given}, fetch_list=[out])
    assert given.tolist() == [[-1, 5]]


def test_lists_numbers_and_strided_arrays_can_be_fed(exe):
    x, n = fluid.data("x", [None, 2]), fluid.data("n", [1], dtype="int64")
    out = fluid.layers.scale(x, 2.0)
    assert exe.run(feed={"x": [[1, 2]], "n": 3}, fetch_list=[out, n])[1].tolist() == [3]
    given = np.arange(8, dtype=F32).reshape(2, 4)[::-1, ::2]
    assert np.array_equal(exe.run(feed={"x": given, "n": [1]}, fetch_list=[out])[0], given * 2)
    frozen = np.ones((1, 2), F32)
    frozen.flags.writeable = False
    assert exe.run(feed={"x": frozen, "n": [1]}, fetch_list=[out])[0].tolist() == [[2, 2]]


def test_mapped_files_and_arrays_without_axes_are_fed(exe, tmp_path):
    x, n = fluid.data("x", [None, 2]), fluid.data("n", [1], "int64")
    np.save(tmp_path / "x.npy", np.ones((1, 2), F32))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    found = exe.run(feed={"x": mapped, "n": np.array(3)}, fetch_list=[x * 2, n + 1])
    assert [value.tolist() for value in found] == [[[2, 2]], [4]]


def test_the_lod_of_a_feed_goes_with_the_values(exe):
    x = fluid.data("x", [None, 2], lod_level=1)
    out = fluid.layers.softmax(fluid.layers.fc(x, 3))
    pooled = fluid.layers.sequence_pool(x, "sum")
    exe.run(fluid.default_startup_program())
    ragged = fluid.create_lod_tensor(np.ones((5, 2), F32), [[2, 3]], fluid.CPUPlace())
    found = exe.run(feed={"x": ragged}, fetch_list=[out, pooled, x], return_numpy=False)
    assert found[0].recursive_sequence_lengths() == [[2, 3]] == found[2].recursive_sequence_lengths()
    assert found[1].lod() == [] and np.array(found[1]).tolist() == [[2, 2], [3, 3]]


def test_every_batch_may_have_its_own_lengths(exe):
    x = fluid.data("x", [None, 1], lod_level=1)
    pooled = fluid.layers.sequence_pool(x, "sum")
    for lengths in ([1], [2, 2], [3, 1, 5]):
        ragged = fluid.create_lod_tensor(np.ones((sum(lengths), 1), F32), [lengths], fluid.CPUPlace())
        assert exe.run(feed={"x": ragged}, fetch_list=[pooled])[0][:, 0].tolist() == lengths
    assert len([key for key in fluid.default_main_program().plans if key != "version"]) == 1


def test_a_tensor_without_lod_comes_back_without_one(exe):
    x = fluid.data("x", [None, 2])
    (found,) = exe.run(feed={"x": np.ones((2, 2), F32)}, fetch_list=[fluid.layers.relu(x)], return_numpy=False)
    assert isinstance(found, fluid.LoDTensor) and found.lod() == [] and found.shape() == [2, 2]


def test_parameters_may_be_set_between_runs(exe):
    w = weight("w", [1.0, 2.0])
    out = fluid.layers.scale(w, 10.0)
    exe.run(fluid.default_startup_program())
    assert exe.run(fetch_list=[out])[0].tolist() == [10, 20]
    fluid.global_scope().find_var("w").get_tensor().set(np.array([3, 4], F32), fluid.CPUPlace())
    assert exe.run(fetch_list=[out])[0].tolist() == [30, 40]


def test_scopes_keep_their_own_values(exe):
    w = weight("w", [1.0])
    fluid.optimizer.SGD(0.25).minimize(fluid.layers.reduce_sum(w))
    first, second = fluid.Scope(), fluid.Scope()
    for scope, steps in ((first, 1), (second, 3)):
        with fluid.scope_guard(scope):
            exe.run(fluid.default_startup_program())
            for _ in range(steps):
                exe.run()
    assert (value_of("w", first)[0], value_of("w", second)[0]) == (0.75, 0.25)
    assert fluid.global_scope().find_var("w") is None
    assert exe.run(fetch_list=["w"], scope=second)[0][0] == 0.0


def test_a_scope_sees_the_values_of_its_parent(exe):
    w = weight("w", [2.0])
    out = fluid.layers.scale(w, 10.0)
    exe.run(fluid.default_startup_program())
    assert exe.run(fetch_list=[out], scope=fluid.global_scope().new_scope())[0].tolist() == [20.0]


def test_use_prune_leaves_out_what_the_fetches_do_not_need(exe):
    x, label = fluid.data("x", [None, 1]), fluid.data("label", [None, 1])
    out = fluid.layers.fc(x, 1, param_attr="w")
    fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(fluid.layers.square_error_cost(out, label)))
    exe.run(fluid.default_startup_program())
    before = value_of("w")
    exe.run(feed={"x": np.ones((2, 1), F32)}, fetch_list=[out], use_prune=True)
    assert np.array_equal(before, value_of("w"))


def test_a_compiled_program_runs_like_its_program(exe):
    x = fluid.data("x", [None, 2])
    out = fluid.layers.scale(x, 2.0)
    strategy = fluid.BuildStrategy()
    strategy.fuse_all_optimizer_ops = True
    compiled = fluid.CompiledProgram(fluid.default_main_program(), build_strategy=strategy)
    feed = {"x": np.ones((1, 2), F32)}
    assert exe.run(compiled, feed=feed, fetch_list=[out])[0].tolist() == [[2, 2]]
    with pytest.raises(AttributeError, match="BuildStrategy: there is no 'fuse_everything'"):
        strategy.fuse_everything = True


def test_a_closed_executor_refuses(exe):
    exe.close()
    with pytest.raises(EnforceNotMet, match="this executor is closed"):
        exe.run()


def test_a_value_written_twice_is_the_last_one(exe):
    x = fluid.data("x", [None, 1])
    y = fluid.layers.scale(x, 2.0)
    fluid.layers.increment(y, 1.0)
    fluid.layers.assign(y * 10.0, output=y)
    assert exe.run(feed={"x": np.ones((1, 1), F32)}, fetch_list=[y])[0].tolist() == [[30.0]]


def test_a_counter_counts_over_runs(exe):
    steps = fluid.layers.autoincreased_step_counter(begin=1)
    exe.run(fluid.default_startup_program())
    assert [int(exe.run(fetch_list=[steps])[0][0]) for _ in range(3)] == [1, 2, 3]


def test_the_startup_program_starts_again_from_the_seed(exe):
    fluid.default_startup_program().random_seed = 5
    fluid.layers.fc(fluid.data("x", [None, 3]), 2, param_attr="w")
    exe.run(fluid.default_startup_program())
    first = value_of("w")
    exe.run(fluid.default_startup_program())
    assert np.array_equal(first, value_of("w"))


def test_check_nan_inf_leaves_good_runs_alone(exe):
    x = fluid.data("x", [None, 2])
    y = fluid.layers.log(x)
    fluid.set_flags({"FLAGS_check_nan_inf": True})
    try:
        assert exe.run(feed={"x": np.ones((1, 2), F32)}, fetch_list=[y])[0].tolist() == [[0, 0]]
    finally:
        fluid.set_flags({"FLAGS_check_nan_inf": False})


def test_a_persistable_that_an_operator_leaves_alone_keeps_its_value():
    block = fluid.default_main_program().global_block()
    x = fluid.data("x", [2])
    scale = block.create_var(name="scale", shape=[1], dtype="float32", persistable=True)
    out = block.create_var(name="out", shape=[2], dtype="float32")
    block.append_op(
        type="moving_average_abs_max_scale", inputs={"X": x}, outputs={"Out": out, "OutScale": scale},
        attrs={"is_test": True},
    )  # fmt: skip
    held = fluid.global_scope().var("scale").get_tensor()
    held.set(np.array([3.0], "float32"), fluid.CPUPlace())
    exe = fluid.Executor()
    for _ in range(2):
        exe.run(feed={"x": np.ones([2], "float32")}, fetch_list=[out])
    assert np.array(fluid.global_scope().find_var("scale").get_tensor()) == [3.0]
