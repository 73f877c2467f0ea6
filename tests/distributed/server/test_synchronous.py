"""Two servers and two trainers train as one process does on the joined batch; programs are written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import paddle.fluid as fluid
from tests.distributed.server.jobs import job, well_ended

SIZES = {"w": [4, 3], "b": [3], "v": [3, 1]}
STEPS = 6

NETWORK = """
import numpy as np
import paddle.fluid as fluid

def batches(part):
    chance = np.random.RandomState(7)
    for _ in range(6):
        x = chance.rand(8, 4).astype("float32")
        y = x.sum(1, keepdims=True)
        yield {"x": x[part], "y": y[part]}

def network():
    x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 1])
    zero = fluid.initializer.Constant(0.1)
    attr = lambda name: fluid.ParamAttr(name=name, initializer=zero)
    hidden = fluid.layers.fc(x, 3, param_attr=attr("w"), bias_attr=attr("b"), act="tanh")
    guess = fluid.layers.fc(hidden, 1, param_attr=attr("v"), bias_attr=False)
    return fluid.layers.mean(fluid.layers.square_error_cost(guess, y))
"""

TRAINER = (
    NETWORK
    + """
import json, os, sys
from tests.distributed.server.programs import append_exchange, append_recv
index, endpoints = int(os.environ["INDEX"]), os.environ["ENDPOINTS"].split(",")
placed = {name: endpoints[i % len(endpoints)] for i, name in enumerate(SIZES)}
cost = network()
fluid.backward.append_backward(cost)
main, startup = fluid.default_main_program().global_block(), fluid.Program()
for name, shape in SIZES.items():
    startup.global_block().create_var(name=name, shape=shape, dtype="float32", persistable=True)
append_recv(startup.global_block(), index, placed, [])
append_exchange(main, index, placed)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(startup)
half = slice(index * 4, index * 4 + 4)
steps = int(os.environ.get("STEPS", 6))
losses = [exe.run(feed=feed, fetch_list=[cost])[0].item() for _, feed in zip(range(steps), batches(half))]
values = {name: np.array(fluid.global_scope().find_var(name).get_tensor()).tolist() for name in SIZES}
print(json.dumps([losses, values]))
if "NO_CLOSE" not in os.environ:
    exe.close()
"""
)


def alone() -> tuple[list[float], dict[str, np.ndarray]]:
    made: dict = {}
    exec(NETWORK, made)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        cost = made["network"]()
        fluid.optimizer.SGD(0.1).minimize(cost)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        for name, shape in SIZES.items():  # as the servers begin
            fluid.global_scope().find_var(name).get_tensor().set(np.full(shape, 0.1, "float32"), fluid.CPUPlace())
        losses = [exe.run(feed=feed, fetch_list=[cost])[0].item() for feed in made["batches"](slice(None))]
        return losses, {name: np.array(fluid.global_scope().find_var(name).get_tensor()) for name in SIZES}


@pytest.mark.parametrize("close", [True, False], ids=["exe.close", "leaving at exit"])
def test_two_servers_and_two_trainers_compute_what_one_process_does(tmp_path: Path, close: bool) -> None:
    with job(tmp_path, TRAINER, SIZES, 0.1, **({} if close else {"NO_CLOSE": "1"}), BEGIN="0.1") as made:
        trainers = [made.start("trainer", 0)]  # in any order
        servers = [made.start("server", i) for i in range(2)]
        trainers.append(made.start("trainer", 1))
        found = [json.loads(one.out) for one in well_ended(trainers)]
        for server in well_ended(servers):
            assert "all trainers have left after 6 steps" in server.err and "died" not in server.err
    losses, values = alone()
    np.testing.assert_allclose(np.mean([one[0] for one in found], 0), losses, rtol=0, atol=1e-6)
    for name, expected in values.items():
        for one in found:
            np.testing.assert_allclose(one[1][name], expected, rtol=0, atol=1e-6)


def test_a_trainer_with_less_data_leaves_and_the_other_goes_on(tmp_path: Path) -> None:
    with job(tmp_path, TRAINER, SIZES, 0.1, BEGIN="0.1") as made:
        servers = [made.start("server", i) for i in range(2)]
        trainers = [made.start("trainer", i, STEPS=str(2 + 4 * i)) for i in range(2)]
        well_ended(trainers)
        for server in well_ended(servers):
            assert "all trainers have left after 6 steps" in server.err
