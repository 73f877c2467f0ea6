"""Trainer 0 saves what servers hold as one process would; servers load their pieces and the training goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.distributed.ranks import TIMEOUT, environment
from tests.distributed.server.jobs import Job, well_ended

NETWORK = """
import json, os, sys
import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers

def constant(name):
    return fluid.ParamAttr(name=name, initializer=fluid.initializer.Constant(0.01))

x, y = layers.data("x", [13]), layers.data("y", [1])
hidden = layers.fc(x, 2000, act="relu", param_attr=constant("cut"), bias_attr=constant("b"))  # cut in two
guess = layers.fc(hidden, 1, param_attr=constant("v"), bias_attr=constant("c"))
cost = layers.mean(layers.square_error_cost(guess, y))
fluid.optimizer.Adam(layers.exponential_decay(0.01, 2, 0.5, staircase=True)).minimize(cost)
exe = fluid.Executor(fluid.CPUPlace())

def train(program, part, first, last):
    chance = np.random.RandomState(7)
    losses = []
    for step in range(last):
        x = chance.rand(8, 13).astype("float32")
        feed = {"x": x[part], "y": x.sum(1, keepdims=True)[part]}
        if step >= first:
            losses.append(exe.run(program, feed=feed, fetch_list=[cost])[0].item())
    print(json.dumps(losses))

first, last = int(os.environ["FIRST"]), int(os.environ["LAST"])
folder, former = os.environ["FOLDER"], os.environ["FORMER"]
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
if former:
    fluid.io.load_persistables(exe, former, startup if index else main)  # either knows the server's pieces
exe.run(main)
"""
)
TRAINER = (
    TRANSPILED
    + """
main = t.get_trainer_program()
exe.run(fluid.default_startup_program())
train(main, slice(index * 4, index * 4 + 4), first, last)
if index == 0:
    fluid.io.save_persistables(exe, folder, main)
exe.close()
"""
)
ALONE = (
    NETWORK
    + """
exe.run(fluid.default_startup_program())
if former:
    fluid.io.load_persistables(exe, former)
train(fluid.default_main_program(), slice(0, 8), first, last)
fluid.io.save_persistables(exe, folder)
"""
)


def about(first: int, last: int, folder: Path, former: Path | str = "") -> dict[str, str]:
    return {"FIRST": str(first), "LAST": str(last), "FOLDER": str(folder), "FORMER": str(former)}


def with_servers(place: Path, *args) -> np.ndarray:
    place.mkdir()
    job = Job(place, SERVER, TRAINER, servers=2, trainers=2, more=about(*args))
    try:
        processes = [job.start(role, index) for role in ("server", "trainer") for index in range(2)]
        return np.mean([json.loads(one.out.splitlines()[-1]) for one in well_ended(processes)[2:]], axis=0)
    finally:
        job.close()


def alone(*args) -> np.ndarray:
    command = [sys.executable, "-W", "error", "-c", ALONE]
    found = subprocess.run(
        command, env=environment(**about(*args)), capture_output=True, text=True, timeout=TIMEOUT, check=True
    )
    return np.array(json.loads(found.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Three steps alone, and three with servers, both saved."""
    place = tmp_path_factory.mktemp("saved")
    losses = alone(0, 3, place / "alone")
    np.testing.assert_allclose(with_servers(place / "job", 0, 3, place / "served"), losses, rtol=1e-5)
    return place


def test_the_files_are_those_of_one_process(saved):
    names = sorted(path.name for path in (saved / "alone").iterdir())
    found = sorted(path.name for path in (saved / "served").iterdir())
    assert found == [name for name in names if "learning_rate" not in name]
    for name in found:
        one, other = ((saved / kind / name).read_bytes() for kind in ("alone", "served"))
        assert len(one) == len(other) and one[:20] == other[:20], name
        if "COUNTER" in name:
            assert one == other


def test_servers_load_their_pieces_and_the_training_goes_on(saved, tmp_path):
    expected = alone(3, 6, tmp_path / "a", saved / "alone")
    found = with_servers(tmp_path / "job", 3, 6, tmp_path / "b", saved / "served")
    np.testing.assert_allclose(found, expected, rtol=1e-5)
