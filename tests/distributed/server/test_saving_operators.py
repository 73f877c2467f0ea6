"""recv_save and checkpoint_notify as operators of a program; tables that are loaded keep how their rows begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.distributed.persist.tables import files_of, put_tables, read_rows
from refluid.distributed.server.tables import Tables
from refluid.tensor.selected_rows import SelectedRows
from tests.distributed.server.threads import built, together


def network() -> Any:
    x, ids = layers.data("x", [13]), layers.data("ids", [1], dtype="int64")
    begin = fluid.ParamAttr("table", fluid.initializer.Uniform(-0.5, 0.5, seed=3))
    rows = layers.embedding(ids, [100, 4], is_sparse=True, is_distributed=True, param_attr=begin)
    hidden = layers.fc(x, 2000, param_attr="wide")  # cut in two
    loss = layers.mean(layers.fc([hidden, rows], 1))
    fluid.optimizer.SGD(0.1).minimize(loss)
    return loss


FEED = {"x": np.ones((4, 13), "float32"), "ids": np.arange(4).reshape(4, 1)}


def test_programs_may_save_by_operators_of_their_own(tmp_path):
    def work(role: Any) -> Any:
        role.run(role.main, feed=FEED)
        names = ["wide.block0", "wide.block1"]
        fetched = next(op for op in role.main.global_block().ops if op.type == "recv" and op.output("Out") == names)
        shapes = [",".join(map(str, role.main.global_block().var(name).shape)) for name in names]
        saving = fluid.Program()
        block, told = saving.global_block(), {"trainer_id": 0}
        block.append_op(
            "recv_save", {}, {},
            {**told, "file_path": str(tmp_path / "wide"), "shape": [13, 2000], "remote_varnames": names,
             "slice_varnames": names, "slice_shapes": shapes,
             "endpoints": fetched.attr("epmap"), "overwrite": True},
        )  # fmt: skip
        block.append_op(
            "checkpoint_notify", {}, {},
            {**told, "epmap": role.main._endpoints, "dir": str(tmp_path / "tables"), "lookup_table": "table"},
        )  # fmt: skip
        role.run(fluid.Program.parse_from_string(saving.desc.serialize_to_string()))
        return np.array(role.scope.find_var("wide").get_tensor())

    (wide,) = together(network, work, trainers=1)
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program()):
        var = fluid.layers.create_parameter([13, 2000], "float32", "wide")
        fluid.io.load_vars(fluid.Executor(), str(tmp_path), vars=[var])
        np.testing.assert_array_equal(np.array(fluid.global_scope().find_var("wide").get_tensor()), wide)
    files = files_of(str(tmp_path / "tables"), "table")
    assert [file.rpartition("/")[2] for file in files] == ["table_0", "table_1"]
    assert sorted(read_rows(files, "table").index.tolist()) == [0, 1, 2, 3]


def test_rows_that_a_file_lacks_begin_as_the_table_says():
    t = fluid.DistributeTranspiler()
    role = built(network, lambda _: t.transpile(0, pservers="127.0.0.1:1,127.0.0.1:2", trainers=1))
    main, startup = t.get_pserver_programs("127.0.0.1:1")
    ids = torch.tensor([0, 2, 4, 96])

    def rows(loaded: SelectedRows | None) -> torch.Tensor:
        role.scope = fluid.Scope()
        role.run(startup)
        with fluid.scope_guard(role.scope):
            put_tables({} if loaded is None else {"table": loaded})
        return Tables(main, role.scope)["table"].look_up(ids)

    begun, loaded = rows(None), rows(SelectedRows.of(torch.tensor([2]), torch.ones(1, 4), 100))
    assert begun.abs().min() > 0
    assert torch.equal(loaded[[0, 2, 3]], begun[[0, 2, 3]]) and torch.equal(loaded[1], torch.ones(4))
