"""Look-ups at servers: which ids go where, and what comes back; servers are a function here."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet, NotFoundError, ShapeError, ValueRangeError
from refluid.distributed.server.lookup import LookUp, Placement, TableLookUps, look_up, server_of
from refluid.distributed.server.table_operators import split_among
from refluid.tensor.selected_rows import SelectedRows

WHOLE = torch.arange(10.0).unsqueeze(1).expand(10, 2).contiguous()
CUT = Placement(("w.block0", "w.block1"), ("a", "b"), (6, 4))
DEALT = Placement(("t0", "t1", "t2"), ("a", "b", "c"))


def ids(*values):
    return torch.tensor(values, dtype=torch.int64)


class Servers:
    """Answers as servers do, and remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, wanted):
        self.asked.append({endpoint: {n: i.tolist() for n, i in of.items()} for endpoint, of in wanted.items()})
        return {
            endpoint: {name: self._rows(name, given) for name, given in of.items()} for endpoint, of in wanted.items()
        }

    def _rows(self, name, given):
        if name.startswith("w"):
            return WHOLE[given + (6 if name.endswith("1") else 0)]
        return given.unsqueeze(1).expand(-1, 2).float()


def found(placement, *look_ups, **options):
    servers = Servers()
    table = TableLookUps(placement, [LookUp(**one) for one, _ in look_ups], 2, torch.float32)
    return look_up([table], [[given for _, given in look_ups]], servers)[0], servers.asked


def plain(given, padding=-1, column=False):
    return {"padding": padding, "column": column}, given


def test_every_id_is_asked_for_once_at_the_server_that_has_it():
    (first, second), asked = found(CUT, plain(ids(7, 2, 7)), plain(ids([2], [9]), column=True))
    assert asked == [{"a": {"w.block0": [2]}, "b": {"w.block1": [1, 3]}}]
    assert first[:, 0].tolist() == [7, 2, 7]
    assert second.shape == (2, 2) and second[:, 0].tolist() == [2, 9]


def test_a_server_without_ids_is_not_asked():
    assert found(CUT, plain(ids(8)))[1] == [{"b": {"w.block1": [2]}}]


def test_no_ids_are_no_rows():
    (rows,), asked = found(CUT, plain(ids()))
    assert rows.shape == (0, 2) and asked == []


def test_paddings_are_zeros_wherever_they_lie():
    for padding in (2, 10, 77, -2):
        (rows, others), _ = found(CUT, plain(ids(padding, 3, padding), padding), plain(ids(3, 9)))
        assert rows[:, 0].tolist() == [0, 3, 0]
        assert others[:, 0].tolist() == [3, 9]


@pytest.mark.parametrize("wrong", [-1, 10, 2**40])
def test_ids_outside_of_a_parameter_are_refused_in_the_words_of_a_local_look_up(wrong):
    with pytest.raises(ValueRangeError, match=f"Ids has {wrong}, but W has rows 0 to 9"):
        found(CUT, plain(ids(3, wrong)))


def test_ids_without_a_last_axis_of_one_are_refused():
    with pytest.raises(ShapeError, match="last axis of 1, got"):
        found(CUT, plain(ids(3, 4), column=True))


def test_any_int64_has_a_server_in_a_distributed_table():
    given = ids(-(2**63), -3, -1, 0, 5, 2**63 - 1)
    expected = [(int(one) % 2**64) % 3 for one in given]
    assert server_of(given, 3).tolist() == expected
    (rows,), asked = found(DEALT, plain(given))
    assert torch.equal(rows[:, 0], given.float())
    for number, endpoint in enumerate("abc"):
        of_server = [int(one) for one, owner in zip(given, expected) if owner == number]
        assert asked[0].get(endpoint, {}).get(f"t{number}", []) == of_server


def test_a_placement_that_does_not_add_up_is_refused():
    with pytest.raises(EnforceNotMet, match="2 pieces w, v lie at 1 servers"):
        Placement(("w", "v"), ("a",), (1, 2))


# -- operators as Fluid 1.8.5 runs them -------------------------------------------------------------------------------


def test_split_ids_gives_every_server_its_different_ids_in_order():
    parts = split_among([ids([5], [2], [5], [-3], [8]), ids([2], [7])], 2)
    assert [part.tolist() for part in parts] == [[[2], [8]], [[-3], [5], [7]]]


def test_split_ids_keeps_every_row_of_a_gradient():
    """1.8.5 gives both rows of an id that repeats the values of the last one; here their sum is what it was."""
    grad = SelectedRows.of(ids(5, 2, 5, 8), torch.arange(8.0).view(4, 2), 10)
    even, odd = split_among([grad], 2)
    assert (even.rows(), even.value.tolist(), even.height()) == ([2, 8], [[2, 3], [6, 7]], 10)
    assert (odd.rows(), odd.value.tolist()) == ([5, 5], [[0, 1], [4, 5]])


def run(op_type, inputs, outputs, attrs=None, scope=None):
    """One operator on variables of a scope, which are its persistables."""
    scope = scope or fluid.Scope()
    program = fluid.Program()
    block = program.global_block()
    for values in inputs.values():
        for name, value in values.items():
            sparse = isinstance(value, SelectedRows)
            kind = fluid.core.VarDesc.VarType.SELECTED_ROWS if sparse else fluid.core.VarDesc.VarType.LOD_TENSOR
            dtype = "float32" if sparse or value.dtype == np.float32 else "int64"
            block.create_var(name=name, type=kind, dtype=dtype, shape=[-1, 1], persistable=True)
            if sparse:
                scope.var(name).value = value
            else:
                scope.var(name).get_tensor().set(value, fluid.CPUPlace())
    for names in outputs.values():
        for name in names:
            block.create_var(name=name, dtype="float32", shape=[-1, 2])
    block.append_op(op_type, {slot: list(values) for slot, values in inputs.items()}, outputs, attrs or {})
    names = [name for names in outputs.values() for name in names]
    return fluid.Executor(fluid.CPUPlace()).run(program, fetch_list=names, scope=scope)


def test_merge_ids_puts_rows_where_their_ids_are():
    def column(*values):
        return np.array(values, "int64").reshape(-1, 1)

    inputs = {
        "Ids": {"a": column(5, 2, 5), "b": column(8)},
        "Rows": {"r0": column(2, 8), "r1": column(5)},
        "X": {"x0": np.array([[2, 2], [8, 8]], "float32"), "x1": np.array([[5, 5]], "float32")},
    }
    first, second = run("merge_ids", inputs, {"Out": ["o0", "o1"]})
    assert first.tolist() == [[5, 5], [2, 2], [5, 5]] and second.tolist() == [[8, 8]]
    inputs["Ids"]["b"] = column(3)
    with pytest.raises(ValueRangeError, match="merge_ids: Ids has 3, but Rows does not"):
        run("merge_ids", inputs, {"Out": ["o0", "o1"]})


def sparse_table(rows):
    return SelectedRows.of(ids(*rows), torch.arange(10.0).view(5, 2), 10)


def test_lookup_sparse_table_gives_new_ids_the_next_rows():
    table, given = sparse_table([3, 7]), np.array([[7], [4], [3], [4], [9]], "int64")
    (rows,) = run("lookup_sparse_table", {"W": {"W": table}, "Ids": {"ids": given}}, {"Out": ["o"]})
    assert rows.tolist() == [[2, 3], [4, 5], [0, 1], [4, 5], [6, 7]]
    assert table.rows() == [3, 7, 4, 9]
    with pytest.raises(ValueRangeError, match="W has room for 5 rows, and Ids need 7"):
        given = np.array([[20], [21], [22]], "int64")
        run("lookup_sparse_table", {"W": {"W": table}, "Ids": {"ids": given}}, {"Out": ["o"]})


def test_lookup_sparse_table_for_testing_has_zeros_for_unknown_ids():
    table, given = sparse_table([3, 7]), np.array([[7], [4], [3]], "int64")
    inputs = {"W": {"W": table}, "Ids": {"ids": given}}
    (rows,) = run("lookup_sparse_table", inputs, {"Out": ["o"]}, {"is_test": True})
    assert rows.tolist() == [[2, 3], [0, 0], [0, 1]]
    assert table.rows() == [3, 7]


def test_fake_init_has_a_shape_and_no_data():
    scope, program = fluid.Scope(), fluid.Program()
    block = program.global_block()
    block.create_var(name="w", shape=[10**9, 16], dtype="float32", persistable=True)
    block.append_op("fake_init", {}, {"Out": ["w"]}, {"shape": [10**9, 16]})
    fluid.Executor(fluid.CPUPlace()).run(program, scope=scope)
    tensor = scope.find_var("w").get_tensor()
    assert tensor.shape() == [10**9, 16] and not tensor._is_initialized()
    with pytest.raises(NotFoundError, match="parameter servers hold"):
        np.array(tensor)
    block.create_var(name="ids", shape=[-1, 1], dtype="int64", is_data=True)
    test = fluid.Program()
    for name, var in block.vars.items():
        test.global_block().create_var(name=name, shape=var.shape, dtype=var.dtype, persistable=var.persistable)
    out = test.global_block().create_var(name="out", shape=[-1, 16], dtype="float32")
    test.global_block().append_op("lookup_table", {"W": ["w"], "Ids": ["ids"]}, {"Out": [out]}, {})
    with pytest.raises(NotFoundError, match="lookup_table: W stands for a table that parameter servers hold"):
        feed = {"ids": np.zeros((1, 1), "int64")}
        fluid.Executor(fluid.CPUPlace()).run(test, feed=feed, fetch_list=[out], scope=scope)


def test_delete_var_leaves_nothing_in_the_scope():
    scope = fluid.Scope()
    run("delete_var", {"X": {"x": np.ones((2, 1), "float32")}}, {}, scope=scope)
    assert not scope.find_var("x").is_initialized()
