"""fleet with parameter servers, started by launch_ps: workers train from data sets, save, and the next job goes on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle.fluid as fluid
from tests.distributed.ranks import ended, environment, ports_in_a_row, started

READER = """
from paddle.fluid.incubate.data_generator import MultiSlotDataGenerator

class Clicks(MultiSlotDataGenerator):
    def generate_sample(self, line):
        def samples():
            *ids, label = map(int, line.split())
            yield [("age", [ids[0] / 50])] + [(f"slot{i}", [id]) for i, id in enumerate(ids)] + [("label", [label])]
        return samples

Clicks().run_from_stdin()
"""
SCRIPT = """
import json, os, sys
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import StrategyFactory

mode, here = os.environ["MODE"], os.environ.get
age = fluid.layers.data("age", [1])
slots = [fluid.layers.data(f"slot{i}", [1], dtype="int64", lod_level=1) for i in range(2)]
label = fluid.layers.data("label", [1], dtype="int64")
attr = fluid.ParamAttr(name="rows", initializer=fluid.initializer.Uniform(-0.1, 0.1, seed=1))
rows = [fluid.layers.embedding(slot, [50, 8], is_sparse=True, param_attr=attr) for slot in slots]
whole = fluid.layers.concat([age, *(fluid.layers.sequence_pool(one, "sum") for one in rows)], 1)
guess = fluid.layers.fc(fluid.layers.fc(whole, 16, act="relu"), 2, act="softmax")
cost = fluid.layers.mean(fluid.layers.cross_entropy(guess, label))

fleet.init(role_maker.PaddleCloudRoleMaker())
make = getattr(StrategyFactory, f"create_{mode}_strategy")
strategy = make(5) if mode == "geo" else make()
fleet.distributed_optimizer(fluid.optimizer.SGD(0.2), strategy).minimize(cost)
if fleet.is_server():
    fleet.init_server(here("FORMER") or None)
    fleet.run_server()
else:
    exe = fluid.Executor(fluid.CPUPlace())
    fleet.init_worker()
    exe.run(fleet.startup_program)
    began = float(np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()).sum())
    dataset = fluid.DatasetFactory().create_dataset(here("KIND"))
    dataset.set_use_var([age, *slots, label])
    dataset.set_pipe_command(f"{sys.executable} reader.py" if here("FOLDER") == "lines" else "cat")
    dataset.set_batch_size(8)
    dataset.set_thread(1)
    folder = here("FOLDER")
    dataset.set_filelist(fleet.split_files(sorted(os.path.join(folder, name) for name in os.listdir(folder))))
    if here("KIND") == "InMemoryDataset":
        dataset.load_into_memory()
        dataset.local_shuffle()
    for epoch in range(3):
        exe.train_from_dataset(fleet.main_program, dataset)
    if fleet.is_first_worker():
        fleet.save_persistables(exe, here("OUT"))
        fleet.save_inference_model(exe, here("OUT") + ".model", ["age", "slot0", "slot1"], [guess])
    fleet.stop_worker()
    print(json.dumps([fleet.worker_index(), began]))
"""


def write(folder: Path) -> None:
    """The scripts; data as lines, which a reader turns into slots, and as slots."""
    (folder / "train.py").write_text(SCRIPT)
    (folder / "reader.py").write_text(READER)
    (folder / "lines").mkdir()
    (folder / "slots").mkdir()
    chance = np.random.RandomState(3)
    for part in range(2):
        pairs = chance.randint(0, 50, (120, 2))
        (folder / "lines" / f"{part}").write_text("".join(f"{a} {b} {a % 2}\n" for a, b in pairs))
        (folder / "slots" / f"{part}").write_text("".join(f"1 {a / 50} 1 {a} 1 {b} 1 {a % 2}\n" for a, b in pairs))


def launch(folder: Path, mode: str, kind: str, data: str, former: str) -> list[float]:
    """Run a job; what a parameter began with on each worker."""
    port = str(ports_in_a_row(4)[0])
    arguments = ["--server_num", "2", "--worker_num", "2", "--start_port", port, "--log_dir", f"logs.{mode}"]
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", *arguments, "train.py"]
    env = environment(MODE=mode, KIND=kind, FORMER=former, FOLDER=data, OUT=mode)
    with started([command], [env], folder) as processes:
        (found,) = ended(processes)
    logs = {file.name: file.read_text() for file in sorted((folder / f"logs.{mode}").iterdir())}
    assert found.code == 0, found.err + "\n".join(logs.values())
    for number in range(2):
        assert "all trainers have left" in logs[f"serverlog.{number}"] and "died" not in logs[f"serverlog.{number}"]
    told = [json.loads(logs[f"workerlog.{number}"].splitlines()[-1]) for number in range(2)]
    assert [number for number, _ in told] == [0, 1]
    return [began for _, began in told]


def check_model(folder: str) -> None:
    """The saved model runs in this process."""
    ids = np.arange(50).reshape(50, 1).astype("int64")
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
        slot = fluid.create_lod_tensor(ids, [[1] * 50], fluid.CPUPlace())
        feed = {"age": ids.astype("float32") / 50, "slot0": slot, "slot1": slot}
        (guess,) = exe.run(program, feed={name: feed[name] for name in feeds}, fetch_list=fetches)
    np.testing.assert_allclose(guess.sum(1), np.ones(50), rtol=1e-5)


def test_workers_train_from_data_sets_and_the_next_job_goes_on(tmp_path):
    write(tmp_path)
    jobs = [("sync", "QueueDataset", "slots"), ("async", "InMemoryDataset", "lines")]
    former = ""
    for mode, kind, data in jobs:
        began = launch(tmp_path, mode, kind, data, former)
        if former:  # servers have loaded what the job before has saved
            with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program()):
                var = fluid.layers.create_parameter([17, 16], "float32", "fc_0.w_0")
                fluid.io.load_vars(fluid.Executor(), str(tmp_path / former), vars=[var])
                saved = float(np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()).sum())
            assert pytest.approx(saved, rel=1e-5) in began  # one may come when the other has trained already
        former = mode
        assert (tmp_path / mode / "rows").exists()
        check_model(str(tmp_path / f"{mode}.model"))
    for name in ("rows", "fc_0.w_0"):  # of the same step: trainer 0 makes none while it saves
        assert (tmp_path / "sync" / name).read_bytes() == (tmp_path / "sync.model" / name).read_bytes()
