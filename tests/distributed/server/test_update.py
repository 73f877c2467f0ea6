"""The update at the end of a round."""

from __future__ import annotations

import torch

import paddle.fluid as fluid
from refluid.distributed.server.service import Service
from refluid.distributed.server.update import BlocksUpdate
from refluid.tensor.scope import Scope

HERE = "127.0.0.1:6174"


def server() -> tuple[BlocksUpdate, Scope]:
    """Of two trainers and one parameter w, whose values are 1."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        weight = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(1.0))
        x = fluid.data("x", [None, 2], "float32")
        fluid.optimizer.SGD(0.5).minimize(fluid.layers.mean(fluid.layers.fc(x, 3, param_attr=weight, bias_attr=False)))
        transpiler = fluid.DistributeTranspiler()
        transpiler.transpile(0, main, HERE, 2, True, startup)
        program, scope = transpiler.get_pserver_program(HERE), Scope()
        with fluid.scope_guard(scope):
            fluid.Executor(fluid.CPUPlace()).run(transpiler.get_startup_program(HERE, program))
    return BlocksUpdate(Service.of(program.global_block().ops[-1]), scope), scope


def gradient(number: int, value: float) -> dict[str, torch.Tensor]:
    return {f"w@GRAD.trainer_{number}": torch.full([2, 3], value)}


def test_parameters_take_the_mean_of_those_that_arrived() -> None:
    update, scope = server()
    update({0: gradient(0, 2.0), 1: gradient(1, 4.0)})
    assert scope.var("w").value.t.tolist() == [[-0.5] * 3] * 2
    update({1: gradient(1, 1.0)})
    assert scope.var("w").value.t.tolist() == [[-1.0] * 3] * 2


def test_what_trainers_have_sent_is_neither_changed_nor_kept() -> None:
    update, scope = server()
    sent = {0: gradient(0, 2.0), 1: gradient(1, 4.0)}
    update(sent)
    assert sent[0]["w@GRAD.trainer_0"].tolist() == [[2.0] * 3] * 2
    held = scope.find_var("w@GRAD")
    assert held is None or held.value is None or held.value.t is None
