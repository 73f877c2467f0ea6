"""Trainers that do not wait for one another, without a Communicator: every step sends and fetches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from tests.distributed.server.jobs_in_threads import alone, configured, job

OPTIMIZERS: dict[str, Callable[..., Any]] = {
    "sgd": lambda rate, **more: fluid.optimizer.SGD(rate, **more),
    "momentum": lambda rate, **more: fluid.optimizer.Momentum(rate, 0.9, **more),
    "lars_momentum": lambda rate, **more: fluid.optimizer.LarsMomentum(rate, 0.9, **more),
    "adam": lambda rate, **more: fluid.optimizer.Adam(rate, **more),
    "adamax": lambda rate, **more: fluid.optimizer.Adamax(rate, **more),
    "adagrad": lambda rate, **more: fluid.optimizer.Adagrad(rate, **more),
    "decayed_adagrad": lambda rate, **more: fluid.optimizer.DecayedAdagrad(rate, **more),
    "rmsprop": lambda rate, **more: fluid.optimizer.RMSProp(rate, **more),
    "ftrl": lambda rate, **more: fluid.optimizer.Ftrl(rate, **more),
}
NAMES = ["wide.w", "wide.b", "narrow.w"]


def network(optimizer: str = "sgd", rate: Any = 0.01, width: int = 2000) -> Callable[[], Any]:
    def make() -> Any:
        x, y = layers.data("x", [13]), layers.data("y", [1])
        constant = fluid.initializer.Constant(0.01)
        decay = fluid.regularizer.L2Decay(1e-3)
        hidden = layers.fc(  # large enough to be cut in two
            x, width, act="relu", param_attr=fluid.ParamAttr("wide.w", constant, regularizer=decay),
            bias_attr=fluid.ParamAttr("wide.b", constant),
        )  # fmt: skip
        guess = layers.fc(hidden, 1, param_attr=fluid.ParamAttr("narrow.w", constant), bias_attr=False)
        cost = layers.mean(layers.square_error_cost(guess, y))
        clip = fluid.clip.GradientClipByValue(0.5)
        OPTIMIZERS[optimizer](rate() if callable(rate) else rate, grad_clip=clip).minimize(cost)
        return cost

    return make


def feeds(steps: int, size: int = 8, seed: int = 7) -> list[dict[str, np.ndarray]]:
    chance = np.random.RandomState(seed)
    batches = [chance.rand(size, 13).astype("float32") for _ in range(steps)]
    return [{"x": x, "y": x.sum(1, keepdims=True)} for x in batches]


def plain() -> Any:
    return configured(sync_mode=False)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_one_trainer_computes_what_one_process_does(optimizer: str) -> None:
    batches = feeds(4)
    losses, values = alone(network(optimizer), batches, NAMES)
    with job(network(optimizer), plain) as made:
        trainer = made.trainer()
        trainer.start()
        found = [trainer.run(feed) for feed in batches]
        for name, expected in values.items():
            np.testing.assert_allclose(trainer.value(name), expected, rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(made.value(name), expected, rtol=1e-6, atol=1e-7)
        made.end()
    np.testing.assert_allclose(found, losses, rtol=1e-6)


def test_the_steps_of_all_trainers_move_a_schedule_on() -> None:
    """As in 1.8.5, which counts from the number of trainers: the k-th update has the rate of step N + k."""

    def ones() -> Any:
        x = layers.data("x", [2])
        guess = layers.fc(x, 1, param_attr=fluid.ParamAttr("w", fluid.initializer.Constant(0.0)), bias_attr=False)
        cost = layers.mean(guess)
        fluid.optimizer.SGD(layers.exponential_decay(1.0, 1, 0.5, staircase=True)).minimize(cost)
        return cost

    found = []
    with job(ones, plain, servers=2, trainers=2) as made:
        trainers = [made.trainer(number) for number in range(2)]
        for trainer in trainers:
            trainer.start()
        for trainer in (trainers[0], trainers[0], trainers[1], trainers[1], trainers[0]):
            trainer.run({"x": np.ones((4, 2), "float32")})
            found.append(-trainer.value("w")[0, 0])
        made.end()
    assert found == list(np.cumsum([0.5**k for k in (2, 3, 4, 5, 6)]))


def test_every_update_counts_in_full_however_many_trainers_there_are() -> None:
    def sums() -> Any:
        x = layers.data("x", [1])
        guess = layers.fc(x, 1, param_attr=fluid.ParamAttr("w", fluid.initializer.Constant(0.0)), bias_attr=False)
        cost = layers.mean(guess)
        fluid.optimizer.SGD(1.0).minimize(cost)
        return cost

    with job(sums, plain, servers=1, trainers=3) as made:
        trainers = [made.trainer(number) for number in range(3)]
        for trainer in trainers:
            trainer.start()
        for trainer, steps in zip(trainers, (5, 1, 3), strict=True):  # unequal data
            for _ in range(steps):
                trainer.run({"x": np.ones((4, 1), "float32")})
        assert made.value("w") == [[-9.0]]
        made.end()


def test_late_gradients_are_corrected_by_how_far_the_parameter_has_moved() -> None:
    """DC-ASGD: g + (w - what the trainer has seen) * g * g."""

    def doubles() -> Any:
        x = layers.data("x", [1])
        guess = layers.fc(x, 1, param_attr=fluid.ParamAttr("w", fluid.initializer.Constant(0.0)), bias_attr=False)
        cost = layers.mean(guess)
        fluid.optimizer.SGD(0.5).minimize(cost)
        return cost

    with job(doubles, lambda: configured(sync_mode=False, enable_dc_asgd=True), servers=1, trainers=2) as made:
        trainers = [made.trainer(number) for number in range(2)]
        for trainer in trainers:
            trainer.start()
        feed = {"x": np.full((1, 1), 2.0, "float32")}
        trainers[0].run(feed)  # the gradient is 2: w = -1
        assert made.value("w") == [[-1.0]]
        trainers[0].run(feed)  # has seen -1: w = -2
        assert made.value("w") == [[-2.0]]
        trainers[1].run(feed)  # has seen 0: 2 + (-2 - 0) * 2 * 2 = -6
        assert made.value("w") == [[1.0]]
        made.end()
