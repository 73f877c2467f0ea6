"""Trainers that save by save_params, save_vars or fluid.save write also what only servers hold."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core.errors import DtypeError, EnforceNotMet
from refluid.distributed.persist import fetch
from tests.distributed.server.jobs_in_threads import Trainer, alone, configured, job

HEIGHT, WIDTH = 3000, 8
NAMES = ["rows", "w"]


def network(distributed: bool = False) -> Any:
    ids, y = layers.data("ids", [1], dtype="int64"), layers.data("y", [1])
    begin = fluid.initializer.Uniform(-0.5, 0.5, seed=3) if distributed else fluid.initializer.Constant(0.1)
    attr = fluid.ParamAttr("rows", begin)
    rows = layers.embedding(ids, [HEIGHT, WIDTH], is_sparse=True, is_distributed=distributed, param_attr=attr)
    guess = layers.fc(rows, 1, param_attr=fluid.ParamAttr("w", fluid.initializer.Constant(0.2)), bias_attr=False)
    cost = layers.mean(layers.square_error_cost(guess, y))
    fluid.optimizer.Adagrad(0.1).minimize(cost)
    return cost


def feeds() -> list[dict[str, np.ndarray]]:
    chance = np.random.RandomState(5)
    return [{"ids": chance.randint(0, HEIGHT, (16, 1)), "y": np.ones([16, 1], "float32")} for _ in range(3)]


def trained(trainer: Trainer) -> Trainer:
    trainer.start()
    for feed in feeds():
        trainer.run(feed)
    return trainer


def test_the_files_of_a_trainer_have_the_rows_of_its_servers(tmp_path):
    _, expected = alone(network, feeds(), NAMES)
    with job(network, configured) as running:
        trainer = trained(running.trainer())
        with fluid.scope_guard(trainer.scope):
            fluid.io.save_params(trainer.exe, str(tmp_path / "params"), trainer.program)
            fluid.io.save_vars(trainer.exe, str(tmp_path), trainer.program, ["rows"], filename="one")
            fluid.save(trainer.program, str(tmp_path / "all"))
        running.end()
    both = fluid.io.load_program_state(str(tmp_path / "params"))
    whole = fluid.io.load_program_state(str(tmp_path / "all"))
    one = fluid.io.load_program_state(str(tmp_path / "one"), [trainer.main.global_block().var("rows")])
    assert sorted(both) == NAMES
    for name in NAMES:
        np.testing.assert_allclose(both[name], expected[name], rtol=1e-6)
        np.testing.assert_array_equal(whole[name], both[name])
    np.testing.assert_array_equal(one["rows"], both["rows"])


def test_a_table_with_rows_of_any_id_is_refused_by_fluid_save(tmp_path):
    with job(lambda: network(distributed=True), configured) as running:
        trainer = trained(running.trainer())
        with fluid.scope_guard(trainer.scope), pytest.raises(DtypeError, match="rows is a table.*save_persistables"):
            fluid.save(trainer.program, str(tmp_path / "all"))
        running.end()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("distributed", "says"), [
    (False, "what servers hold has 0.0916 MB, of which the parameter rows has 0.0916 MB"),
    (True, r"of which the table rows of \d\d rows has 0.00\d+ MB"),
])  # fmt: skip
def test_a_model_that_does_not_fit_into_memory_is_refused_with_its_size(tmp_path, monkeypatch, distributed, says):
    monkeypatch.setattr(fetch, "_free_memory", lambda: 1000)
    with job(lambda: network(distributed), configured) as running:
        trainer = trained(running.trainer())
        guess = trainer.program.global_block().var("fc_0.tmp_0")
        with fluid.scope_guard(trainer.scope), pytest.raises(EnforceNotMet) as refused:
            fluid.io.save_inference_model(str(tmp_path / "model"), ["ids"], [guess], trainer.exe, trainer.program)
        running.end()
    text = str(refused.value)
    assert text.startswith("save_inference_model: what servers hold has") and re.search(says, text), text
    assert "this machine has 0.000954 MB of free memory; save_persistables lets every server write" in text
    assert not list(tmp_path.iterdir())  # nothing half-written
