"""Geo training: trainers update by themselves and exchange how far parameters have moved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.communicator import Communicator
from paddle.fluid.transpiler.distribute_transpiler import DistributedMode
from paddle.fluid.transpiler.geo_sgd_transpiler import GeoSgdTranspiler
from refluid.core.errors import EnforceNotMet
from tests.distributed.server.jobs_in_threads import Job, Trainer, alone, configured, job

NAMES = ["table", "w", "b"]
ROWS = 3000  # cut in two, eight numbers wide


def network(sparse: bool = True, optimizer: Any = fluid.optimizer.SGD) -> Any:
    def make() -> Any:
        ids, y = layers.data("ids", [4], dtype="int64"), layers.data("y", [1])
        constant = fluid.initializer.Constant(0.1)
        rows = layers.embedding(
            layers.reshape(ids, [-1, 4, 1]), [ROWS, 8], is_sparse=sparse,
            param_attr=fluid.ParamAttr("table", constant),
        )  # fmt: skip
        guess = layers.fc(
            layers.reduce_sum(rows, 1), 1, param_attr=fluid.ParamAttr("w", constant),
            bias_attr=fluid.ParamAttr("b", constant),
        )  # fmt: skip
        cost = layers.mean(layers.square_error_cost(guess, y))
        optimizer(0.05).minimize(cost)
        return cost

    return make


def feeds(steps: int, seed: int = 0, rows: int = ROWS) -> list[dict[str, np.ndarray]]:
    chance = np.random.RandomState(seed)
    found = [chance.randint(0, rows, (8, 4)) for _ in range(steps)]
    return [{"ids": ids, "y": (ids % 2).mean(1, keepdims=True).astype("float32")} for ids in found]


def config() -> Any:
    return configured(sync_mode=False, runtime_split_send_recv=True, geo_sgd_mode=True)


def communicator(made: Job, trainer: Trainer, push_nums: int) -> Communicator:
    about = {"push_vars": trainer.transpiler._get_vars_info(), "trainers": made.trainers, "push_nums": push_nums}
    with fluid.scope_guard(trainer.scope):
        return Communicator(trainer.program, DistributedMode.GEO, about)


@pytest.mark.parametrize("push_nums", [1, 3])
@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
@pytest.mark.parametrize("first", [True, False], ids=["before startup", "after startup"])
def test_one_trainer_computes_what_one_process_does(push_nums: int, sparse: bool, first: bool) -> None:
    batches = feeds(7)
    losses, values = alone(network(sparse), batches, NAMES)
    with job(network(sparse), config, kind=GeoSgdTranspiler) as made:
        trainer = made.trainer()
        exchanges = communicator(made, trainer, push_nums)
        if first:
            exchanges.start()
        trainer.start()
        if not first:
            exchanges.start()
        assert [trainer.run(feed) for feed in batches] == losses
        exchanges.stop()
        for name, expected in values.items():
            np.testing.assert_array_equal(trainer.value(name), expected)
            np.testing.assert_allclose(made.value(name), expected, rtol=1e-5, atol=1e-6)
        made.end()


def test_the_moves_of_all_trainers_meet_on_the_servers() -> None:
    """A trainer's move counts 1/N, and what others have moved comes back."""
    with job(network(), config, trainers=2, kind=GeoSgdTranspiler) as made:
        trainer = made.trainer(0)
        exchanges = communicator(made, trainer, 2)
        exchanges.start()
        trainer.start()
        before = {name: trainer.value(name) for name in NAMES}
        for feed in feeds(2):
            trainer.run(feed)
        moved = {name: trainer.value(name) - before[name] for name in NAMES}
        exchanges.stop()
        for name in NAMES:
            np.testing.assert_allclose(made.value(name), before[name] + moved[name] / 2, rtol=1e-5, atol=1e-6)
        other = made.trainer(1)
        exchanges = communicator(made, other, 1)
        exchanges.start()
        other.start()
        for name in NAMES:
            np.testing.assert_array_equal(other.value(name), made.value(name))
        for feed in feeds(3, seed=1):
            other.run(feed)
        exchanges.stop()
        exchanges = communicator(made, trainer, 1)
        exchanges.start()
        for name in NAMES:
            np.testing.assert_array_equal(trainer.value(name), made.value(name))
        exchanges.stop()
        made.end()


def test_two_trainers_learn_together() -> None:
    with job(network(optimizer=fluid.optimizer.Adagrad), config, trainers=2, kind=GeoSgdTranspiler) as made:
        batches = feeds(60, rows=20)
        trainer, losses = made.trainer(0), []
        exchanges = communicator(made, trainer, 5)
        exchanges.start()
        trainer.start()
        for feed in batches:
            losses.append(trainer.run(feed))
        exchanges.stop()
        other = made.trainer(1)
        exchanges = communicator(made, other, 5)
        exchanges.start()
        other.start()
        for feed in batches:
            losses.append(other.run(feed))
        exchanges.stop()
        made.end()
    assert np.mean(losses[-20:]) < 0.7 * np.mean(losses[:20])


def test_a_geo_program_without_a_communicator_is_told() -> None:
    with job(network(), config, servers=1, kind=GeoSgdTranspiler) as made:
        trainer = made.trainer()
        trainer.start()
        with pytest.raises(EnforceNotMet, match="geo training exchanges by a fluid.Communicator"):
            trainer.run(feeds(1)[0])
        made.end()
