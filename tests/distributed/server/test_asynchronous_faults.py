"""Processes that are killed, or end without a word, while nobody waits for anybody."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.distributed.server.jobs import Job, started_again, until, well_ended

# The gradient of every step is one, whatever the parameters are; each server has one of them.
NETWORK = """
import os, time
import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.transpiler.distribute_transpiler import DistributedMode
index, servers = int(os.environ["INDEX"]), os.environ["ENDPOINTS"]
x = layers.data("x", [1])
zero = fluid.initializer.Constant(0.0)
for name in ("v", "w"):
    x = layers.elementwise_add(x, layers.create_parameter([1], "float32", name, default_initializer=zero))
cost = layers.mean(x)
fluid.optimizer.SGD(-1.0).minimize(cost)
config = fluid.DistributeTranspilerConfig()
config.sync_mode = False
config.runtime_split_send_recv = True
config.half_async = os.environ.get("MODE") == "HALF_ASYNC"
t = fluid.DistributeTranspiler(config=config)
t.transpile(index, pservers=servers, trainers=int(os.environ["TRAINERS"]), sync_mode=False)
exe = fluid.Executor(fluid.CPUPlace())
"""
SERVER = (
    NETWORK
    + """
main, startup = t.get_pserver_programs(servers.split(",")[index])
exe.run(startup)
exe.run(main)
found = [var for var in map(fluid.global_scope().find_var, "vw") if var]
print([np.array(var.get_tensor()).item() for var in found])
"""
)
TRAINER = (
    NETWORK
    + """
main = t.get_trainer_program()
exe.run(fluid.default_startup_program())
exchanges = fluid.communicator.Communicator(main, getattr(DistributedMode, os.environ.get("MODE", "ASYNC")))
exchanges.start()
for step in range(int(os.environ["STEPS"])):
    exe.run(main, feed={"x": np.ones((2, 1), "float32")}, fetch_list=[cost])
    if step < 10:
        print(step, flush=True)
if "HANG" in os.environ:
    exchanges.stop()
    print("hangs", flush=True)
    time.sleep(600)
while not os.path.exists(os.environ.get("STAYS_FOR", "/")):
    time.sleep(0.1)
"""
)


def test_a_killed_trainer_stops_nobody_and_processes_that_end_without_a_word_have_sent_all(tmp_path: Path) -> None:
    job = Job(tmp_path, SERVER, TRAINER, servers=2, trainers=2, more={"REFLUID_TRAINER_LEASE": "6"})
    try:
        servers = [job.start("server", index) for index in range(2)]
        killed = job.start("trainer", 1, STEPS="3", HANG="1")
        until(killed, "hangs")
        os.killpg(killed.pid, signal.SIGKILL)
        sign = tmp_path / "the other has come again"
        stays = job.start("trainer", 0, STEPS="20", FLAGS_communicator_send_queue_size="20", STAYS_FOR=str(sign))
        until(stays, "9")
        well_ended([job.start("trainer", 1, STEPS="7")])
        sign.touch()
        well_ended([stays])
        for server in well_ended(servers):
            assert server.out.split() == ["[30.0]"]
            assert "all trainers have left after 30 steps" in server.err
    finally:
        job.close()


def test_half_asynchronous_training_goes_on_after_a_server_was_killed(tmp_path: Path) -> None:
    state = {"REFLUID_PSERVER_STATE_DIR": str(tmp_path / "state"), "REFLUID_PSERVER_STATE_RECORDS": "8"}
    job = Job(tmp_path, SERVER, TRAINER, servers=2, trainers=2, more={**state, "MODE": "HALF_ASYNC", "STEPS": "10"})
    try:
        first, other = job.start("server", 0, REFLUID_CRASH_AT="after_log:11"), job.start("server", 1)
        trainers = [job.start("trainer", index) for index in range(2)]
        *_, again, other = well_ended([*trainers, started_again(job, 0, first), other])
    finally:
        job.close()
    assert "goes on from its state folder" in again.err
    assert again.out.split() == other.out.split() == ["[20.0]"]  # every step of both counts once
