"""Trainers that do not wait for one another learn what they learn together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import paddle.fluid as fluid
from tests.distributed.server.jobs import Job, well_ended

NETWORK = """
import json, os
import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers

def network():
    x, y = layers.data("x", [6]), layers.data("y", [1])
    attr = lambda name: fluid.ParamAttr(name, fluid.initializer.Constant(0.1))
    hidden = layers.fc(x, 8, act="tanh", param_attr=fluid.ParamAttr("w", fluid.initializer.Uniform(-0.5, 0.5, seed=1)))
    cost = layers.mean(layers.square_error_cost(layers.fc(hidden, 1, param_attr=attr("v")), y))
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.SGD(0.05).minimize(cost)
    return cost, test

def train(exe, program, cost, test, part):
    chance = np.random.RandomState(3)
    batches = [chance.uniform(-1, 1, (16, 6)).astype("float32") for _ in range(60)]
    feeds = [{"x": x[part], "y": np.sin(x).sum(1, keepdims=True)[part]} for x in batches]
    whole = {"x": np.concatenate(batches), "y": np.sin(np.concatenate(batches)).sum(1, keepdims=True)}
    measured = lambda: exe.run(test, feed=whole, fetch_list=[cost.name])[0].item()
    began = measured()
    for feed in feeds:
        exe.run(program, feed=feed)
    return began, measured()
"""
TRANSPILED = (
    NETWORK
    + """
index, servers = int(os.environ["INDEX"]), os.environ["ENDPOINTS"]
cost, test = network()
t = fluid.DistributeTranspiler()
t.transpile(index, pservers=servers, trainers=2, sync_mode=False)
exe = fluid.Executor(fluid.CPUPlace())
"""
)
SERVER = (
    TRANSPILED
    + """
main, startup = t.get_pserver_programs(servers.split(",")[index])
exe.run(startup)
exe.run(main)
"""
)
TRAINER = (
    TRANSPILED
    + """
main = t.get_trainer_program()
exe.run(fluid.default_startup_program())
print(json.dumps(train(exe, main, cost, test, slice(8 * index, 8 * index + 8))))
exe.close()
"""
)


def together() -> tuple[float, float]:
    """The loss before and after synchronous training, which is that of one process on the joined batches."""
    made: dict = {}
    exec(NETWORK, made)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        cost, test = made["network"]()
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        return made["train"](exe, main, cost, test, slice(None))


def test_two_trainers_that_wait_for_nobody_come_near_the_loss_of_synchronous_training(tmp_path: Path) -> None:
    job = Job(tmp_path, SERVER, TRAINER, servers=2, trainers=2, more={})
    try:
        processes = [job.start(role, index) for role in ("server", "trainer") for index in range(2)]
        found = [json.loads(one.out.splitlines()[-1]) for one in well_ended(processes)[2:]]
    finally:
        job.close()
    began, expected = together()
    assert expected < 0.1 * began
    # Each made its steps, at times unknown to the other; the one that ended last has seen them all.
    assert min(last for _, last in found) < 1.5 * expected and np.isfinite(found).all()
