"""Programs of DistributeTranspiler train on two servers and two trainers as one process does on the joined batch."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np

from tests.distributed.ranks import TIMEOUT
from tests.distributed.server.jobs import Job, well_ended

NETWORK = """
import json, os
import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers

def constant(**more):
    return fluid.ParamAttr(initializer=fluid.initializer.Constant(0.01), **more)

x, y = layers.data("x", [13]), layers.data("y", [1])
decay = fluid.regularizer.L1Decay(1e-3)
hidden = layers.fc(x, 2000, act="relu", param_attr=constant(regularizer=decay))  # cut in two
cost = layers.mean(layers.square_error_cost(layers.fc(hidden, 1, param_attr=constant()), y))
rate = layers.exponential_decay(0.01, 2, 0.5, staircase=True)
fluid.optimizer.Adam(rate).minimize(cost)
exe = fluid.Executor(fluid.CPUPlace())

def train(program, part):
    chance = np.random.RandomState(7)
    losses = []
    for _ in range(5):
        x = chance.rand(8, 13).astype("float32")
        feed = {"x": x[part], "y": x.sum(1, keepdims=True)[part]}
        losses.append(exe.run(program, feed=feed, fetch_list=[cost])[0].item())
    print(json.dumps(losses))
"""
TRANSPILED = (
    NETWORK
    + """
index, servers = int(os.environ["INDEX"]), os.environ["ENDPOINTS"]
t = fluid.DistributeTranspiler()
t.transpile(index, pservers=servers, trainers=2)
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
train(main, slice(index * 4, index * 4 + 4))
exe.close()
"""
)
ALONE = NETWORK + "exe.run(fluid.default_startup_program())\ntrain(fluid.default_main_program(), slice(0, 8))\n"


def test_cut_parameters_decay_and_schedules_train_as_in_one_process(tmp_path):
    job = Job(tmp_path, SERVER, TRAINER, servers=2, trainers=2, more={})
    try:
        processes = [job.start(role, index) for role in ("server", "trainer") for index in range(2)]
        found = [json.loads(one.out.splitlines()[-1]) for one in well_ended(processes)[2:]]
    finally:
        job.close()
    alone = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=TIMEOUT, check=True)
    np.testing.assert_allclose(np.mean(found, axis=0), json.loads(alone.stdout.splitlines()[-1]), rtol=1e-5)
