"""Saves that cannot succeed say why, and leave nothing behind."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core.errors import EnforceNotMet
from tests.distributed.ranks import TIMEOUT, ended
from tests.distributed.server.jobs import Job

NETWORK = """
import os, time
import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers
x, ids = layers.data("x", [13]), layers.data("ids", [1], dtype="int64")
rows = layers.embedding(ids, [100, 4], is_sparse=True, is_distributed=True, param_attr="table")
loss = layers.mean(layers.fc([layers.fc(x, 2000), rows], 1))  # the first is cut in two
fluid.optimizer.Adagrad(0.1).minimize(loss)
exe, servers = fluid.Executor(fluid.CPUPlace()), os.environ["ENDPOINTS"]
t = fluid.DistributeTranspiler()
t.transpile(0, pservers=servers, trainers=1)
"""
SERVER = (
    NETWORK
    + """
main, startup = t.get_pserver_programs(servers.split(",")[int(os.environ["INDEX"])])
exe.run(startup)
exe.run(main)
"""
)
TRAINER = (
    NETWORK
    + """
def trying(folder):
    try:
        fluid.io.save_persistables(exe, folder, main)
    except fluid.core.EnforceNotMet as error:
        print(str(error).splitlines()[0])

main = t.get_trainer_program()
exe.run(fluid.default_startup_program())
exe.run(main, feed={"x": np.ones((4, 13), "float32"), "ids": np.arange(4).reshape(4, 1)})
trying("/proc/none/of/these")
open("ready", "w").close()
while not os.path.exists("go"):
    time.sleep(0.1)
trying("saved")
exe.close()
trying("saved")
"""
)


def test_a_server_that_is_gone_and_a_folder_that_cannot_be(tmp_path):
    job = Job(tmp_path, SERVER, TRAINER, servers=2, trainers=1, more={"REFLUID_SERVER_PATIENCE": "3"})
    try:
        servers = [job.start("server", index) for index in range(2)]
        trainer = job.start("trainer", 0)
        deadline = time.monotonic() + TIMEOUT
        while not (tmp_path / "ready").exists():
            assert time.monotonic() < deadline and trainer.poll() is None
            time.sleep(0.1)
        servers[1].kill()
        (tmp_path / "go").touch()
        (found,) = ended([trainer])
    finally:
        job.close()
    assert found.code == 0, found.out + found.err
    folder, gone, closed = found.lines()
    assert folder.startswith("save: '/proc/none/of/these' cannot be written")
    assert job.endpoints[1] in gone and "does not answer" in gone
    assert f"the server at {job.endpoints[0]} is not there" in closed or job.endpoints[1] in closed
    assert [name for _, _, names in os.walk(tmp_path / "saved") for name in names] == []


def server_program(width: int):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = layers.mean(layers.fc(layers.data("x", [13]), width))
        fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
        t = fluid.DistributeTranspiler()
        t.transpile(0, pservers="127.0.0.1:1,127.0.0.1:2", trainers=1, startup_program=startup)
        return t.get_pserver_programs("127.0.0.1:2")


def test_the_folder_of_another_program_is_refused_and_changes_nothing(tmp_path):
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            fluid.optimizer.Momentum(0.1, 0.9).minimize(layers.mean(layers.fc(layers.data("x", [13]), 1900)))
        exe.run(startup)
        fluid.io.save_persistables(exe, str(tmp_path / "other"), main)
    with fluid.scope_guard(fluid.Scope()):
        main, startup = server_program(2000)
        exe.run(startup)
        name = next(name for name in main.global_block().vars if name.startswith("fc_0.w_0.block"))
        before = np.array(fluid.global_scope().find_var(name).get_tensor())
        with pytest.raises(EnforceNotMet, match=r"the shape is \[\d+(, 1900)?\], but the program has \[\d+(, 2000)?\]"):
            fluid.io.load_persistables(exe, str(tmp_path / "other"), main)
        with pytest.raises(EnforceNotMet, match="there is no folder"):
            fluid.io.load_persistables(exe, str(tmp_path / "none"), startup)
        (tmp_path / "empty").mkdir()
        with pytest.raises(EnforceNotMet, match="was saved by another program, or not by trainer 0"):
            fluid.io.load_persistables(exe, str(tmp_path / "empty"), main)
        assert np.array_equal(np.array(fluid.global_scope().find_var(name).get_tensor()), before)
