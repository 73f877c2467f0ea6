"""Variables that hold SelectedRows: as gradients, outputs and tables of programs. Numbers are 1.8.5's."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.core import VarDesc

PLACE = fluid.CPUPlace()


def sparse(name, rows=None, values=None):
    """A persistable variable of five rows; the scope holds some of them."""
    kind = VarDesc.VarType.SELECTED_ROWS
    var = block().create_var(name=name, shape=[5, 2], dtype="float32", type=kind, persistable=True)
    if rows is not None:
        held = fluid.global_scope().var(name).get_selected_rows()
        held.set_rows(rows)
        held.set_height(5)
        held.get_tensor().set(np.array(values, "float32"), PLACE)
        held.sync_index()
    return var


def block():
    return fluid.default_main_program().global_block()


def dense(name, values):
    var = block().create_var(name=name, shape=list(np.shape(values)), dtype="float32", persistable=True)
    fluid.global_scope().var(name).get_tensor().set(np.array(values, "float32"), PLACE)
    return var


def run(**arguments):
    return fluid.Executor(PLACE).run(**arguments)


def test_rows_are_merged_into_another_variable():
    block().append_op("merge_selected_rows", {"X": sparse("g", [1, 1], [[3, 3], [3, 3]])}, {"Out": sparse("h")})
    run()
    found = fluid.global_scope().find_var("h").get_selected_rows()
    assert list(found.rows()) == [1] and found.height() == 5
    assert np.array(found.get_tensor()).tolist() == [[6.0, 6.0]]


def test_rows_update_a_parameter():
    weight, rate = dense("w", np.zeros((5, 2))), dense("rate", [1.0])
    inputs = {"Param": weight, "Grad": sparse("g", [1, 1], [[3, 3], [3, 3]]), "LearningRate": rate}
    block().append_op("sgd", inputs, {"ParamOut": weight})
    run()
    assert np.array(fluid.global_scope().find_var("w").get_tensor())[:, 0].tolist() == [0, -6, 0, 0, 0]


@pytest.mark.parametrize("kind, padding, expected", [
    ("lookup_table", -1, [[2, 3], [0, 1]]), ("lookup_table_v2", 4, [[2, 3], [0, 0]]),
])  # fmt: skip
def test_a_table_may_hold_some_of_its_rows(kind, padding, expected):
    table = sparse("w", [4, 1, 2], np.arange(6).reshape(3, 2))
    ids = fluid.layers.data("ids", [1], dtype="int64")
    out = block().create_var(name="out")
    block().append_op(kind, {"W": table, "Ids": ids}, {"Out": out}, {"is_sparse": True, "padding_idx": padding})
    (found,) = run(feed={"ids": np.array([[1], [4]])}, fetch_list=[out])
    assert found.reshape(2, 2).tolist() == expected
    with pytest.raises(ValueError, match="Ids has 0, but W does not hold that row"):
        run(feed={"ids": np.array([[0], [4]])}, fetch_list=[out])
