"""What may be fed and fetched: all that Fluid 1.8.5 takes."""

import numpy as np
import pytest

import paddle.fluid as fluid

F32 = np.float32


@pytest.fixture
def exe():
    return fluid.Executor(fluid.CPUPlace())


def value_of(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor())


def test_the_computation_goes_on_in_the_dtype_that_layers_data_is_fed(exe):
    x = fluid.layers.data("x", [4])
    y = fluid.layers.elementwise_add(x, x)
    for dtype in ("float64", "int64"):
        with pytest.warns(UserWarning, match=f"feed 'x': the variable is declared float32, got {dtype}"):
            (found,) = exe.run(feed={"x": np.ones((2, 4), dtype)}, fetch_list=[y])
        assert found.dtype == dtype and found.tolist() == [[2] * 4] * 2


def test_a_fed_dtype_that_an_operator_does_not_take_is_refused(exe):
    loss = fluid.layers.mean(fluid.layers.data("x", [4]))
    with (
        pytest.warns(UserWarning, match="declared float32, got int64"),
        pytest.raises(TypeError, match="mean: X must be floating point, got int64"),
    ):
        exe.run(feed={"x": np.ones((2, 4), "int64")}, fetch_list=[loss])


def test_layers_data_takes_any_rank_and_fluid_data_fewer_axes(exe):
    y = fluid.layers.scale(fluid.layers.data("x", [4]), 2.0)
    z = fluid.layers.scale(fluid.data("z", [None, 3, 4]), 2.0)
    feed = {"x": np.ones((2, 3, 5), F32), "z": np.ones((7, 3), F32)}
    assert [found.shape for found in exe.run(feed=feed, fetch_list=[y, z])] == [(2, 3, 5), (7, 3)]
    for shape in ((7, 4), (7, 3, 4, 1)):
        with pytest.raises(ValueError, match="declared \\[-1, 3, 4\\], got the shape"):
            exe.run(feed={**feed, "z": np.ones(shape, F32)}, fetch_list=[z])


def test_words_with_a_lod_may_have_an_axis_of_one_more(exe):
    y = fluid.layers.cast(fluid.data("x", [None], "int64", lod_level=1), "float32")
    words = fluid.create_lod_tensor(np.ones((3, 1), "int64"), [[1, 2]], fluid.CPUPlace())
    (found,) = exe.run(feed={"x": words}, fetch_list=[y], return_numpy=False)
    assert (found.shape(), found.lod()) == ([3, 1], [[0, 1, 3]])


def test_a_tensor_with_a_lod_is_fetched_as_a_lod_tensor_alone(exe):
    y = fluid.layers.scale(fluid.layers.data("x", [1], lod_level=1), 2.0)
    feed = {"x": fluid.create_lod_tensor(np.ones((3, 1), F32), [[1, 2]], fluid.CPUPlace())}
    with pytest.raises(RuntimeError, match="has a LoD, which a numpy array cannot hold; run with return_numpy=False"):
        exe.run(feed=feed, fetch_list=[y])
    assert exe.run(feed={"x": np.ones((3, 1), F32)}, fetch_list=[y])[0].shape == (3, 1)


def test_a_persistable_variable_that_is_fed_keeps_the_value(exe):
    x = fluid.layers.data("x", [1])
    rate = fluid.layers.create_global_var([1], 1.0, "float32", persistable=True, name="rate")
    y = fluid.layers.elementwise_mul(x, rate)
    exe.run(fluid.default_startup_program())
    feed, fed = {"x": np.ones((1, 1), F32)}, np.array([5.0], F32)
    assert exe.run(feed={**feed, "rate": fed}, fetch_list=[y])[0].item() == 5.0
    fed[:] = 7.0  # the scope has a copy
    assert exe.run(feed=feed, fetch_list=[y])[0].item() == value_of("rate").item() == 5.0


def test_a_run_declares_the_persistable_variables_of_its_program(exe):
    program = fluid.default_startup_program()
    program.global_block().create_var(name="state", shape=[2], dtype="float32", persistable=True)
    program.global_block().create_var(name="passing", shape=[2], dtype="float32")
    exe.run(program)
    scope = fluid.global_scope()
    assert scope.find_var("passing") is None
    assert not scope.find_var("state").get_tensor()._is_initialized()


def test_updates_in_a_fetch_list_give_nothing_and_are_kept_by_pruning(exe):
    w = fluid.layers.create_parameter([1], "float32", name="w", default_initializer=fluid.initializer.Constant(3.0))
    loss = fluid.layers.reduce_sum(w)
    updates, pairs = fluid.optimizer.SGD(1.0).minimize(loss)
    exe.run(fluid.default_startup_program())
    assert [found.item() for found in exe.run(fetch_list=[loss, *updates])] == [3.0]
    assert [found.item() for found in exe.run(fetch_list=[loss, (updates, pairs)])] == [2.0]
    assert [found.item() for found in exe.run(fetch_list=[loss], use_prune=True)] == [1.0]
    assert [found.item() for found in exe.run(fetch_list=[loss, *updates], use_prune=True)] == [1.0]
    assert value_of("w").item() == 0.0


def test_uint64_is_declared_fed_fetched_cast_compared_and_looked_up(exe):
    large = 2**63 + 5
    ids = fluid.data("ids", [None, 1], "uint64")
    one = fluid.layers.fill_constant([1], "uint64", 1)
    rows = fluid.embedding(ids, [3, 2], param_attr=fluid.initializer.Constant(0.5))
    greater, small = fluid.layers.greater_than(ids, one), fluid.layers.cast(ids, "int32")
    exe.run(fluid.default_startup_program())
    found = exe.run(feed={"ids": np.array([[1], [2]], "uint64")}, fetch_list=[ids, rows, greater, small])
    assert found[0].dtype == np.uint64 and found[1].shape == (2, 1, 2)
    assert found[2].tolist() == [[False], [True]] and found[3].tolist() == [[1], [2]]
    found = exe.run(feed={"ids": np.array([[large]], "uint64")}, fetch_list=[ids, greater], use_prune=True)
    assert found[0].item() == large and found[1].item()


def test_dtypes_have_the_names_that_numpy_knows():
    for name, dtype in (("int", "int64"), ("float", "float64"), ("double", "float64"), ("half", "float16")):
        assert fluid.data(name, [None, 1], name).dtype == fluid.data(name + "_", [None, 1], dtype).dtype


def test_what_the_scope_alone_has_is_fetched_from_there(exe):
    fluid.global_scope().var("kept").get_tensor().set(np.array([7.0], F32), fluid.CPUPlace())
    out = fluid.layers.fill_constant([1], "float32", 1.0)
    assert [found.item() for found in exe.run(fetch_list=["kept", out, "kept"])] == [7.0, 1.0, 7.0]
    assert exe.run(fluid.Program(), fetch_list=["kept"])[0].item() == 7.0


def test_a_persistable_variable_without_a_value_is_fetched_as_none(exe):
    block = fluid.default_main_program().global_block()
    block.create_var(name="state", shape=[2], dtype="float32", persistable=True)
    with pytest.warns(UserWarning, match="fetch_list: 'state' has no value; run the startup program first"):
        assert exe.run(fetch_list=["state"]) == [None]
    assert not exe.run(fetch_list=["state"], return_numpy=False)[0]._is_initialized()


def test_a_product_with_bias_takes_a_feed_of_more_axes_than_declared():
    x = fluid.layers.data("x", [2, 4], append_batch_size=False)
    w = fluid.layers.create_parameter([4, 3], "float32", default_initializer=fluid.initializer.Constant(0.5))
    b = fluid.layers.create_parameter([3], "float32", default_initializer=fluid.initializer.Constant(1.0))
    out = fluid.layers.matmul(x, w) + b
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    (found,) = exe.run(feed={"x": np.ones((1, 2, 4), "float32")}, fetch_list=[out])
    assert np.array_equal(found, np.full((1, 2, 3), 3.0, "float32"))
