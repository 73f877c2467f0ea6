"""Sparse gradients of embeddings: rows and values in both modes, all the way into the optimizer."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.tensor.selected_rows import SelectedRows

F32 = np.float32
TABLE = np.arange(12, dtype=F32).reshape(6, 2)
IDS = np.array([[1], [4], [1]])
INITIAL = fluid.initializer.NumpyArrayInitializer(TABLE)
OPTIMIZERS = [
    lambda **options: fluid.optimizer.SGD(0.5, **options),
    lambda **options: fluid.optimizer.Momentum(0.5, 0.9, **options),
    lambda **options: fluid.optimizer.Adagrad(0.5, **options),
    lambda **options: fluid.optimizer.Adam(0.5, **options),
    lambda **options: fluid.optimizer.Adam(0.5, lazy_mode=True, **options),
]


def imperative_steps(make, is_sparse, steps=3):
    with fluid.dygraph.guard():
        table = fluid.dygraph.Embedding([6, 2], is_sparse=is_sparse, param_attr=fluid.ParamAttr(initializer=INITIAL))
        optimizer = make(parameter_list=table.parameters())
        for _ in range(steps):
            loss = fluid.layers.mean(fluid.layers.square(table(fluid.dygraph.to_variable(IDS))))
            loss.backward()
            optimizer.minimize(loss)
            table.clear_gradients()
        return table.weight.numpy()


def static_steps(make, is_sparse, steps=3):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        ids = fluid.data("ids", [None, 1], dtype="int64")
        attr = fluid.ParamAttr(name="table", initializer=INITIAL)
        out = fluid.layers.embedding(ids, [6, 2], is_sparse=is_sparse, param_attr=attr)
        make().minimize(fluid.layers.mean(fluid.layers.square(out)))
        exe = fluid.Executor()
        exe.run(fluid.default_startup_program())
        for _ in range(steps):
            exe.run(feed={"ids": IDS})
        return np.array(fluid.global_scope().find_var("table").get_tensor())


def test_a_sparse_gradient_reads_as_values_and_rows():
    with fluid.dygraph.guard():
        table = fluid.dygraph.Embedding([6, 2], is_sparse=True)
        fluid.layers.reduce_sum(table(fluid.dygraph.to_variable(IDS)) * 3.0).backward()
        values, rows = table.weight.gradient()
        dense = np.zeros((6, 2), F32)
        np.add.at(dense, rows, values)
        assert dense.tolist() == [[0, 0], [6, 6], [0, 0], [0, 0], [3, 3], [0, 0]]


def test_a_sparse_gradient_of_a_program_is_fetched_as_selected_rows():
    ids = fluid.data("ids", [None, 1], dtype="int64")
    out = fluid.layers.embedding(ids, [6, 2], is_sparse=True, param_attr="table")
    fluid.backward.append_backward(fluid.layers.reduce_sum(out))
    grad = fluid.default_main_program().global_block().var("table@GRAD")
    assert grad.type == fluid.core.VarDesc.VarType.SELECTED_ROWS
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    (found,) = exe.run(feed={"ids": IDS}, fetch_list=[grad], return_numpy=False)
    assert isinstance(found, SelectedRows) and found.height() == 6 and sorted(set(found.rows())) == [1, 4]


@pytest.mark.parametrize("make", OPTIMIZERS[:3])
def test_sparse_and_dense_gradients_train_alike_in_both_modes(make):
    expected = static_steps(make, is_sparse=False)
    assert not np.array_equal(expected, TABLE)
    for found in (static_steps(make, True), imperative_steps(make, True), imperative_steps(make, False)):
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("make", OPTIMIZERS[3:])
def test_adam_with_sparse_gradients_is_the_same_in_both_modes(make):
    # Not the same as with dense ones: as in Fluid, the powers of its betas move on before a sparse step reads them.
    assert np.allclose(imperative_steps(make, True), static_steps(make, True), rtol=1e-6)


@pytest.mark.parametrize("train", [static_steps, imperative_steps])
def test_lazy_adam_leaves_rows_alone_that_are_not_looked_up(train):
    found = train(OPTIMIZERS[4], is_sparse=True)
    assert np.array_equal(found[[0, 2, 3, 5]], TABLE[[0, 2, 3, 5]])
    assert (found[[1, 4]] != TABLE[[1, 4]]).all()


def test_a_table_used_twice_gathers_the_rows_of_both_uses():
    with fluid.dygraph.guard():
        table = fluid.dygraph.Embedding([6, 2], is_sparse=True)
        first = table(fluid.dygraph.to_variable(np.array([[0], [1]])))
        second = table(fluid.dygraph.to_variable(np.array([[1], [2]])))
        fluid.layers.reduce_sum(fluid.layers.elementwise_add(first, second)).backward()
        values, rows = table.weight.gradient()
        dense = np.zeros((6, 2), F32)
        np.add.at(dense, rows, values)
        assert dense[:, 0].tolist() == [1, 2, 1, 0, 0, 0]


def test_a_table_with_sparse_and_dense_uses_has_a_dense_gradient():
    with fluid.dygraph.guard():
        table = fluid.dygraph.Embedding([6, 2], is_sparse=True)
        looked_up = fluid.layers.reduce_sum(table(fluid.dygraph.to_variable(IDS)))
        (looked_up + fluid.layers.reduce_sum(table.weight)).backward()
        assert table.weight.gradient()[:, 0].tolist() == [1, 3, 1, 1, 2, 1]
