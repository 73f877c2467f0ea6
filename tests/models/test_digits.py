"""Handwritten digits: both modes learn them, agree step by step, and repeat themselves bit by bit."""

import itertools
import random

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph import BatchNorm, Conv2D, Dropout, Linear, Pool2D

STEPS = 600
RATES = [450], [0.003, 0.0003]


class Recogniser(fluid.dygraph.Layer):
    """One class for both modes."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.conv1, self.pool1, self.norm1 = Conv2D(1, 16, 5), Pool2D(2, "max", 2), BatchNorm(16, act="relu")
        self.conv2, self.pool2, self.norm2 = Conv2D(16, 32, 5), Pool2D(2, "max", 2), BatchNorm(32, act="relu")
        self.dropout = Dropout(dropout)
        self.fc = Linear(512, 10, act="softmax")

    def forward(self, image):
        x = self.norm1(self.pool1(self.conv1(image)))
        x = self.norm2(self.pool2(self.conv2(x)))
        return self.fc(self.dropout(fluid.layers.reshape(x, [-1, 512])))


def arrays(batch):
    images = np.array([image.reshape(1, 28, 28) for image, _ in batch], np.float32)
    return images, np.array([[label] for _, label in batch], np.int64)


def moved(sample):
    image, label = sample
    return np.roll(image.reshape(28, 28), (random.randint(-1, 1), random.randint(-1, 1)), (0, 1)), label


def batches(count):
    """Batches of moved digits, from as many passes as it takes; the same ones every time."""
    random.seed(11)
    digits = paddle.reader.shuffle(paddle.dataset.mnist.train(), 5000)
    reader = paddle.batch(paddle.reader.map_readers(moved, digits), 64, drop_last=True)
    return itertools.islice(itertools.chain.from_iterable(reader() for _ in itertools.count()), count)


def accuracy(predict):
    images, labels = arrays(list(paddle.dataset.mnist.test()()))
    return (predict(images).argmax(axis=1) == labels[:, 0]).mean()


class Static:
    """A training program; `step` runs it on a batch, `predict` runs its clone for testing."""

    def __init__(self, rate, dropout=0.0, seed=5):
        self.main, startup, self.scope = fluid.Program(), fluid.Program(), fluid.Scope()
        self.main.random_seed = startup.random_seed = seed
        with fluid.program_guard(self.main, startup), fluid.unique_name.guard():
            image, label = fluid.data("image", [None, 1, 28, 28]), fluid.data("label", [None, 1], dtype="int64")
            self.model = Recogniser(dropout)
            self.out = self.model(image)
            self.loss = fluid.layers.mean(fluid.layers.cross_entropy(self.out, label))
            self.test = self.main.clone(for_test=True)
            fluid.optimizer.Adam(fluid.layers.piecewise_decay(*rate)).minimize(self.loss)
        self.exe = fluid.Executor()
        self.exe.run(startup, scope=self.scope)

    def step(self, images, labels):
        feed = {"image": images, "label": labels}
        return self.exe.run(self.main, feed=feed, fetch_list=[self.loss], scope=self.scope)[0][0]

    def predict(self, images):
        feed = {"image": images, "label": np.zeros((len(images), 1), np.int64)}
        return self.exe.run(self.test, feed=feed, fetch_list=[self.out], scope=self.scope)[0]

    def state(self):
        return {
            key: np.array(self.scope.find_var(var.name).get_tensor()) for key, var in self.model.state_dict().items()
        }


class Imperative:
    """The same, inside a guard."""

    def __init__(self, rate, dropout=0.0, seed=5):
        fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = seed
        self.model = Recogniser(dropout)
        schedule = fluid.dygraph.PiecewiseDecay(*rate, begin=0)
        self.adam = fluid.optimizer.Adam(schedule, parameter_list=self.model.parameters())

    def step(self, images, labels):
        out = self.model(fluid.dygraph.to_variable(images))
        loss = fluid.layers.mean(fluid.layers.cross_entropy(out, fluid.dygraph.to_variable(labels)))
        loss.backward()
        self.adam.minimize(loss)
        self.model.clear_gradients()
        return loss.numpy()[0]

    def predict(self, images):
        self.model.eval()
        return self.model(fluid.dygraph.to_variable(images)).numpy()


def trained(learner, count):
    return [learner.step(*arrays(batch)) for batch in batches(count)]


def test_the_static_mode_recognises_97_of_100_digits_it_has_not_seen():
    learner = Static(RATES)
    losses = trained(learner, STEPS)
    assert np.mean(losses[-50:]) < 0.1 * np.mean(losses[:5])
    assert accuracy(learner.predict) >= 0.97


def test_the_imperative_mode_recognises_97_of_100_digits_it_has_not_seen():
    with fluid.dygraph.guard():
        learner = Imperative(RATES)
        losses = trained(learner, STEPS)
        assert np.mean(losses[-50:]) < 0.1 * np.mean(losses[:5])
        assert accuracy(learner.predict) >= 0.97


def test_both_modes_have_equal_losses_step_by_step_from_equal_parameters():
    rate = [3], [0.002, 0.001]
    static = Static(rate)
    with fluid.dygraph.guard():
        imperative = Imperative(rate)
        imperative.model.set_dict(static.state())
        one = trained(static, 8)
        other = trained(imperative, 8)
        assert one[-1] < one[0]
        assert np.allclose(one, other, rtol=1e-5)
        for key, value in static.state().items():
            found = imperative.model.state_dict()[key].numpy()
            assert np.allclose(value, found, rtol=1e-3, atol=1e-4), key


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_two_static_runs_with_one_seed_are_equal_bit_by_bit(dropout):
    runs = [Static(RATES, dropout) for _ in range(2)]
    losses = [trained(run, 5) for run in runs]
    assert losses[0] == losses[1]
    states = [run.state() for run in runs]
    assert all(np.array_equal(states[0][key], states[1][key]) for key in states[0])
    assert trained(Static(RATES, dropout, seed=6), 5) != losses[0]


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_two_imperative_runs_with_one_seed_are_equal_bit_by_bit(dropout):
    losses, states = [], []
    for seed in (5, 5, 6):
        with fluid.dygraph.guard():
            learner = Imperative(RATES, dropout, seed)
            losses.append(trained(learner, 5))
            states.append({key: var.numpy() for key, var in learner.model.state_dict().items()})
    assert losses[0] == losses[1] != losses[2]
    assert all(np.array_equal(states[0][key], states[1][key]) for key in states[0])
