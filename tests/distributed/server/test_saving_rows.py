"""Embeddings that servers hold are saved and loaded, also by another number of servers, and run on one machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.distributed.ranks import TIMEOUT, environment
from tests.distributed.server.jobs import Job, well_ended

NETWORK = """
import json, os
import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers

here, HEIGHT = os.environ.get, 4000
y = layers.data("y", [1])
rows = []
for name in ("table", "param"):
    distributed = name == "table"
    begin = fluid.initializer.Uniform(-0.5, 0.5, seed=3) if distributed else fluid.initializer.Constant(0.3)
    attr = fluid.ParamAttr(name, begin)
    ids = layers.data(name + "_ids", [1], dtype="int64", lod_level=1)
    rows.append(layers.embedding(ids, [HEIGHT, 8], is_sparse=True, is_distributed=distributed, param_attr=attr))
pooled = [layers.sequence_pool(one, "sum") for one in rows]
guess = layers.fc(pooled, 1, param_attr=[fluid.ParamAttr(n, fluid.initializer.Constant(0.1)) for n in ("v", "w")])
loss = layers.mean(layers.square_error_cost(guess, y))
fluid.optimizer.Adagrad(0.05).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())

def batches(part):
    chance = np.random.RandomState(5)
    for _ in range(6):
        ids = [chance.randint(0, HEIGHT, chance.randint(1, 5)) for _ in range(8)]
        ids[0][0], ids[5][0] = -7, 2**62 + 1  # a distributed table takes any id
        y, ids = chance.rand(8, 1).astype("float32")[part], ids[part]
        flat = np.concatenate(ids).reshape(-1, 1).astype("int64")
        lengths = [[len(one) for one in ids]]
        any_ids, ids = (fluid.create_lod_tensor(one, lengths, fluid.CPUPlace()) for one in (flat, flat % HEIGHT))
        yield {"table_ids": any_ids, "param_ids": ids, "y": y}

def transpiled(index):
    t = fluid.DistributeTranspiler()
    t.transpile(index, pservers=here("ENDPOINTS"), trainers=2)
    return t
"""
SERVER = (
    NETWORK
    + """
import warnings
warnings.filterwarnings("ignore", "table is declared with 4000 rows and grows")
index = int(here("INDEX"))
main, startup = transpiled(0).get_pserver_programs(here("ENDPOINTS").split(",")[index])
exe.run(startup)
if here("FORMER") and here("BY") == "lookup_table_utils":
    from paddle.fluid.contrib.utils import lookup_table_utils
    file = f"{here('FORMER')}/__lookup_table__/table_{index}"
    lookup_table_utils.load_persistables_for_increment(here("FORMER"), exe, main, "table", file)
elif here("FORMER"):
    fluid.io.load_persistables(exe, here("FORMER"), main)
exe.run(main)
"""
)
TRAINER = (
    NETWORK
    + """
index = int(here("INDEX"))
main = transpiled(index).get_trainer_program()
exe.run(fluid.default_startup_program())
test = main.clone(for_test=True)
losses = []
for step, feed in enumerate(batches(slice(4 * index, 4 * index + 4))):
    if int(here("FIRST")) <= step < int(here("LAST")):
        losses.append(exe.run(main, feed=feed, fetch_list=[loss])[0].item())
whole = next(batches(slice(0, 8)))
guessed = exe.run(test, feed=whole, fetch_list=[guess])[0]
if index == 0 and here("FOLDER"):
    fluid.io.save_persistables(exe, here("FOLDER"), main)
    feeds = ["table_ids", "param_ids"]
    fluid.io.save_inference_model(here("FOLDER") + ".model", feeds, [guess], exe, main)
    fluid.io.save_inference_model(here("FOLDER") + ".one", feeds, [guess], exe, main, "m", "params")
exe.close()
print(json.dumps([losses, guessed.flatten().tolist()]))
"""
)
INFER = (
    NETWORK
    + """
found = []
for folder, names in ((".model", (None, None)), (".one", ("m", "params"))):
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(here("FOLDER") + folder, exe, *names)
        whole = next(batches(slice(0, 8)))
        found.append(exe.run(program, feed={name: whole[name] for name in feeds}, fetch_list=fetches)[0].tolist())

from paddle.fluid.contrib.utils import lookup_table_utils
program = lookup_table_utils.convert_dist_to_sparse_program(transpiled(0).get_trainer_program(wait_port=False))
program = lookup_table_utils.get_inference_model(program, feeds, [program.global_block().var(guess.name)])
lookup_table_utils.load_persistables_for_inference(here("FOLDER"), exe, program, "table")
found.append(exe.run(program, feed={name: whole[name] for name in feeds}, fetch_list=[guess.name])[0].tolist())
print(json.dumps(found))
"""
)


def with_servers(place: Path, servers: int = 2, **about: str) -> tuple[np.ndarray, list[float]]:
    """The mean of the trainers' losses, and what the first guesses at the end."""
    place.mkdir()
    job = Job(place, SERVER, TRAINER, servers, trainers=2, more={"FORMER": "", "FOLDER": "", **about})
    try:
        processes = [job.start("server", index) for index in range(servers)]
        processes += [job.start("trainer", index) for index in range(2)]
        found = [json.loads(one.out.splitlines()[-1]) for one in well_ended(processes)[servers:]]
        return np.mean([losses for losses, _ in found], axis=0), found[0][1]
    finally:
        job.close()


def test_training_goes_on_with_what_was_saved_and_one_machine_can_infer(tmp_path):
    folder = str(tmp_path / "saved")
    whole, _ = with_servers(tmp_path / "whole", FIRST="0", LAST="6")
    begun, guessed = with_servers(tmp_path / "begun", FIRST="0", LAST="3", FOLDER=folder)
    np.testing.assert_allclose(begun, whole[:3], rtol=1e-6)
    names = {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}
    states = {f"__lookup_table__.states/table_moment_0_{number}" for number in range(2)}
    tables = {f"__lookup_table__/table_{number}" for number in range(2)}
    dense = {f"{name}{state}" for name in ("param", "v", "w", "fc_0.b_0") for state in ("", "_moment_0")}
    assert names == dense | tables | states
    on, _ = with_servers(tmp_path / "on", FIRST="3", LAST="6", FORMER=folder, BY="lookup_table_utils")
    np.testing.assert_allclose(on, whole[3:], rtol=1e-6)
    other, _ = with_servers(tmp_path / "other", servers=3, FIRST="3", LAST="6", FORMER=folder)
    np.testing.assert_allclose(other, whole[3:], rtol=1e-6)
    command = [sys.executable, "-W", "error", "-c", INFER]
    env = environment(FOLDER=folder, ENDPOINTS="127.0.0.1:1,127.0.0.1:2")
    found = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert found.returncode == 0, found.stderr
    for guesses in json.loads(found.stdout.splitlines()[-1]):
        np.testing.assert_allclose(np.ravel(guesses), guessed, rtol=1e-6)
