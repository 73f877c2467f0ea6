"""Updates of servers that wait for nobody: the blocks of small gradients run as one plan."""

from __future__ import annotations

import itertools

import pytest
import torch

import paddle.fluid as fluid
from refluid.distributed.server import blockwise
from refluid.distributed.server.blockwise import BlockwiseUpdate
from refluid.distributed.server.service import Service
from refluid.tensor.scope import Scope
from refluid.tensor.selected_rows import SelectedRows


def server() -> tuple[BlockwiseUpdate, Scope]:
    """Of an embedding of 20 rows, whose gradient is sparse, and a layer with a bias; every value is 1."""
    main, startup = fluid.Program(), fluid.Program()
    ones = fluid.initializer.Constant(1.0)
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        ids = fluid.data("ids", [None, 1], "int64")
        rows = fluid.layers.embedding(ids, [20, 2], True, param_attr=fluid.ParamAttr("table", initializer=ones))
        weight, bias = (fluid.ParamAttr(name, initializer=ones) for name in ("w", "b"))
        loss = fluid.layers.mean(fluid.layers.fc(fluid.layers.flatten(rows), 3, param_attr=weight, bias_attr=bias))
        fluid.optimizer.SGD(0.5).minimize(loss)
        config = fluid.DistributeTranspilerConfig()
        config.sync_mode, config.runtime_split_send_recv = False, True
        transpiler = fluid.DistributeTranspiler(config)
        transpiler.transpile(0, main, "127.0.0.1:6174", 2, False, startup)
        program = transpiler.get_pserver_program("127.0.0.1:6174")
        scope = Scope()
        with fluid.scope_guard(scope):
            fluid.Executor(fluid.CPUPlace()).run(transpiler.get_startup_program("127.0.0.1:6174", program))
    return BlockwiseUpdate(Service.of(program.global_block().ops[-1]), scope), scope


def push() -> dict[str, torch.Tensor | SelectedRows]:
    rows = SelectedRows.of(torch.tensor([3, 7, 3]), torch.ones(3, 2), 20)
    return {"table@GRAD": rows, "w@GRAD": torch.full([2, 3], 2.0), "b@GRAD": torch.full([3], 4.0)}


def values(scope: Scope) -> dict[str, torch.Tensor]:
    return {name: scope.var(name).value.t for name in ("table", "w", "b")}


def expected(pushes: int) -> dict[str, torch.Tensor]:
    table = torch.ones(20, 2)
    table[3] -= 1.0 * pushes
    table[7] -= 0.5 * pushes
    return {"table": table, "w": torch.full([2, 3], 1.0 - pushes), "b": torch.full([3], 1.0 - 2 * pushes)}


def same(found: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(found[name], wanted[name]) for name in wanted)


def test_the_gradients_of_a_push_are_applied_by_one_plan() -> None:
    update, scope = server()
    for _ in range(2):
        update(0, push())
    assert list(update._plans) == [("table@GRAD", "w@GRAD", "b@GRAD")]
    assert same(values(scope), expected(2))


def test_large_gradients_are_applied_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blockwise, "_LARGE", 6)
    update, scope = server()
    update(0, push())
    assert set(update._plans) == {("b@GRAD",), ("table@GRAD",), ("w@GRAD",)}
    assert same(values(scope), expected(1))


def test_pushes_that_have_ever_other_gradients_go_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blockwise, "_MOST_TOGETHER", 1)
    update, scope = server()
    for names in [*itertools.combinations(push(), 2), tuple(push())]:
        update(0, {name: value for name, value in push().items() if name in names})
    assert sum(len(names) > 1 for names in update._plans) == 1
    assert same(values(scope), expected(3))
