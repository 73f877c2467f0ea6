"""Trainings under launch that go wrong: the job ends and says why, or goes on where it was."""

import os
import subprocess
import sys
import time

import pytest

from tests.distributed.nodes import ip, two_nodes
from tests.distributed.ranks import TIMEOUT, ended, environment, ports_in_a_row, started

TRAIN = """
import os, signal, sys
import numpy as np
import paddle.fluid as fluid
import refluid.checkpoint as checkpoint

env = fluid.dygraph.ParallelEnv()
rank, attempt = env.local_rank, int(os.environ["REFLUID_RESTARTS"])
with fluid.dygraph.guard():
    fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = 1 + rank
    layer = fluid.dygraph.Linear(4, 3)
    adam = fluid.optimizer.Adam(0.05, parameter_list=layer.parameters())
    model = fluid.dygraph.DataParallel(layer, fluid.dygraph.prepare_context())
    file, first = f"checkpoint.{rank}", 0
    model(fluid.dygraph.to_variable(np.ones((2, 4), "float32")))
    if os.path.exists(file):
        first = checkpoint.load(file, model=layer, optimizer=adam).epoch
    for step in range(first, 8):
        FAULT
        x = np.random.RandomState(100 * step + rank).rand(6, 4).astype("float32")
        out = fluid.layers.dropout(model(fluid.dygraph.to_variable(x)), 0.3)
        loss = model.scale_loss(fluid.layers.mean(fluid.layers.square(out - 1.0)))
        loss.backward()
        model.apply_collective_grads()
        adam.minimize(loss)
        model.clear_gradients()
        checkpoint.save(file, model=layer, optimizer=adam, epoch=step + 1)
    print("weights", attempt, layer.weight.numpy().tobytes().hex())
"""


def launch(folder, script, *arguments, **variables):
    folder.mkdir(exist_ok=True)
    (folder / "train.py").write_text(script)
    ports = [] if "--started_port" in arguments else ["--started_port", str(ports_in_a_row(2)[0])]
    arguments = ["--selected_gpus=0,1", *ports, *arguments]
    command = [sys.executable, "-m", "refluid.distributed.launch", *arguments, "train.py"]
    with started([command], [environment(**variables)], folder) as processes:
        return ended(processes)[0]


def weights(found):
    assert found.code == 0, found.out + found.err
    return {line.split(" weights ")[1][2:] for line in found.lines() if " weights " in line}


def test_a_job_that_is_started_again_goes_on_bit_by_bit_where_it_was(tmp_path):
    whole = weights(launch(tmp_path / "whole", TRAIN.replace("FAULT", "pass")))
    fault = "if step == 4 and rank == 1 and attempt == 0: os.kill(os.getpid(), signal.SIGKILL)"
    again = launch(tmp_path / "again", TRAIN.replace("FAULT", fault), "--max_restarts", "1")
    assert "was ended by SIGKILL" in again.err and "starting again, 1 of 1" in again.err
    assert weights(again) == whole and len(whole) == 1


@pytest.mark.parametrize(
    ("rank", "fault", "code", "says"),
    [
        (1, "raise ValueError('no such thing')", 1, "    ValueError: no such thing"),
        (0, "raise ValueError('no such thing')", 1, "    ValueError: no such thing"),
        (
            1,
            "os.kill(os.getpid(), signal.SIGKILL)",
            137,
            "launch: rank 1 at 127.0.0.1:{second} was ended by SIGKILL (computing, after exchange 8, gradients of "
            "step 1, bucket 0 of float32 35 on ring 0); the others are ended",
        ),
        (0, "sys.exit(7)", 7, "rank 0 at 127.0.0.1:{first} ended with code 7"),
        (1, "break", 1, "rank 1 at 127.0.0.1:"),
    ],
    ids=["raises", "raises in rank 0", "is killed", "exits in rank 0", "makes fewer steps"],
)
def test_a_rank_that_fails_ends_the_job_and_is_shown(tmp_path, rank, fault, code, says):
    first, second = ports_in_a_row(2)
    found = launch(
        tmp_path, TRAIN.replace("FAULT", f"if step == 2 and rank == {rank}: {fault}"), "--log_dir", "logs",
        "--started_port", str(first),
    )  # fmt: skip
    assert found.code == code, found.err
    assert says.format(first=first, second=second) in found.err
    with open("/proc/net/tcp") as table:  # nobody listens at the job's port any more
        assert not [line for line in table if line.split()[1].endswith(f":{first:04X}") and line.split()[3] == "0A"]


# -- two nodes ------------------------------------------------------------------------------------------------------


@pytest.fixture
def nodes():
    with two_nodes() as spaces:
        yield spaces


def test_two_nodes_train_together(tmp_path, nodes):
    (tmp_path / "train.py").write_text(TRAIN.replace("FAULT", "pass"))
    commands = [
        ["ip", "netns", "exec", space, sys.executable, "-m", "refluid.distributed.launch", "--selected_gpus=0,1",
         "--cluster_node_ips", "10.77.0.1,10.77.0.2", "--node_ip", f"10.77.0.{i + 1}", "train.py"]
        for i, space in enumerate(nodes)
    ]  # fmt: skip
    with started(commands, [environment(), environment()], tmp_path) as processes:
        found = ended(processes)
    assert [one.code for one in found] == [0, 0], found
    assert "node_id: 1 , current_node_ip: 10.77.0.2 , num_nodes: 2" in found[1].out and "nranks: 4" in found[1].out
    assert len(weights(found[0]) | weights(found[1])) == 1
    assert sorted(line[:3] for line in found[1].lines() if "weights" in line) == ["[2]", "[3]"]


def test_a_node_that_is_cut_off_is_missed(tmp_path, nodes):
    (tmp_path / "train.py").write_text(
        TRAIN.replace("FAULT", "import time; open(f'step.{rank}', 'w'); time.sleep(0 if step < 3 else 600)")
    )
    commands = [
        ["ip", "netns", "exec", space, sys.executable, "-m", "refluid.distributed.launch", "--selected_gpus=0",
         "--cluster_node_ips", "10.77.0.1,10.77.0.2", "--node_ip", f"10.77.0.{i + 1}", "train.py"]
        for i, space in enumerate(nodes)
    ]  # fmt: skip
    variables = [environment(REFLUID_RANK_LEASE="6")] * 2
    with started(commands, variables, tmp_path) as processes:
        deadline = time.monotonic() + TIMEOUT
        while not os.path.exists(tmp_path / "step.1"):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        device = subprocess.run(["ip", "-n", nodes[1], "-o", "link"], check=True, capture_output=True, text=True).stdout
        name = next(line.split(": ")[1].split("@")[0] for line in device.splitlines() if "@" in line)
        ip("-n", nodes[1], "link", "set", name, "down")
        found = ended(processes)
    assert [one.code for one in found] == [1, 1]
    assert "rank 0: rank 1 at 10.77.0.2:6170 has not answered for 6 s" in found[0].err
    assert "rank 1: rank 0 at 10.77.0.1:6170 has not answered for" in found[1].err
