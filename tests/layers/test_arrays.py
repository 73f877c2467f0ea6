import numpy as np
import pytest

import paddle.fluid as fluid

L = fluid.layers
X = np.arange(6, dtype="float32").reshape(2, 3)


def number(value):
    return L.fill_constant([1], "int64", value)


def written(x):
    array = L.create_array("float32")
    L.array_write(x, number(0), array=array)
    L.array_write(x * 2.0, number(1), array=array)
    return array


def both(build):
    """The results of build(x) in the static and in the imperative mode."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        outs = build(fluid.data("x", [2, 3]))
    static = fluid.Executor().run(main, feed={"x": X}, fetch_list=list(outs))
    with fluid.dygraph.guard():
        imperative = [one.numpy() for one in build(fluid.dygraph.to_variable(X))]
    return zip(static, imperative, strict=True)


def test_write_read_and_length():
    def build(x):
        array = written(x)
        return L.array_read(array, number(0)), L.array_read(array, number(1)), L.array_length(array)

    for (static, imperative), expected in zip(both(build), [X, X * 2, [2]], strict=True):
        np.testing.assert_array_equal(static, expected)
        np.testing.assert_array_equal(imperative, expected)


@pytest.mark.parametrize(("axis", "stacked"), [(0, False), (1, False), (0, True), (1, True), (2, True)])
def test_joined(axis, stacked):
    join = np.stack if stacked else np.concatenate
    expected = [join([X, X * 2], axis), [1, 1] if stacked else [X.shape[axis]] * 2]
    for (static, imperative), wanted in zip(
        both(lambda x: L.tensor_array_to_tensor(written(x), axis=axis, use_stack=stacked)), expected, strict=True
    ):
        np.testing.assert_array_equal(static, wanted)
        np.testing.assert_array_equal(imperative, wanted)


def test_names_are_those_of_fluid():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        x = fluid.data("x", [2, 3])
        array = L.array_write(x, number(0))
        assert array.name == "array_write_0.out" and array.type == fluid.core.VarDesc.VarType.LOD_TENSOR_ARRAY
        assert L.array_read(array, number(0)).name == "array_read_0.tmp_0"
        assert L.array_length(array).name == "array_length_0.tmp_0"


def run(build):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        out = build(fluid.data("x", [2, 3]))
    return fluid.Executor().run(main, feed={"x": X}, fetch_list=[out])


def test_refusals():
    for build, says in (
        (lambda x: L.array_write(x, 1), "array_write: i must be a Variable, got int"),
        (lambda x: L.array_write(3, number(0)), "array_write: x must be a Variable, got int"),
        (lambda x: L.array_write(x, x), "array_write: i must be int64, got float32"),
        (lambda x: L.array_read(x, number(0)), "array_read: array must be one that create_array or array_write gave"),
        (lambda x: L.array_read(written(x), number(5)), "read_from_array: I is 5, but the array has 2 elements"),
        (lambda x: L.array_length(x), "array_length: array must be one"),
        (lambda x: L.tensor_array_to_tensor(L.create_array("float32"), axis=0)[0], "the array has no elements"),
    ):
        with pytest.raises(fluid.core.EnforceNotMet, match=says):
            run(build)
    with fluid.dygraph.guard(), pytest.raises(fluid.core.EnforceNotMet, match="i is 3, but the array has 0 elements"):
        L.array_write(fluid.dygraph.to_variable(X), fluid.dygraph.to_variable(np.array([3])))


def test_an_array_can_be_fed_and_fetched():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        array = written(fluid.data("x", [2, 3]))
    (found,) = fluid.Executor().run(main, feed={"x": X}, fetch_list=[array])
    np.testing.assert_array_equal(np.stack(found), [X, X * 2])
