"""A training that is interrupted at any step and resumed gives the losses of the uninterrupted one, bit by bit."""

import random
import subprocess
import sys

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
import refluid.checkpoint as checkpoint
from refluid.core.errors import EnforceNotMet

EPOCHS, BATCHES = 2, 4


def samples():
    numbers = np.random.RandomState(3)
    for _ in range(BATCHES * 4):
        yield numbers.rand(1, 8, 8).astype("float32"), numbers.randint(0, 4, 1).astype("int64")


def shuffled_batches():
    return checkpoint.ResumableReader(paddle.batch(paddle.reader.shuffle(samples, buf_size=16), batch_size=4))


def arrays(batch):
    return np.stack([image for image, _ in batch]), np.stack([label for _, label in batch])


class Static:
    """Convolution, batch norm, dropout, momentum or Adam, and a learning rate that falls."""

    def __init__(self, optimizer):
        self.program, startup = fluid.Program(), fluid.Program()
        with fluid.unique_name.guard(), fluid.program_guard(self.program, startup):
            image = fluid.layers.data(name="image", shape=[1, 8, 8], dtype="float32")
            label = fluid.layers.data(name="label", shape=[1], dtype="int64")
            x = fluid.layers.conv2d(image, num_filters=3, filter_size=3)
            x = fluid.layers.dropout(fluid.layers.batch_norm(x, act="relu"), dropout_prob=0.4)
            x = fluid.layers.fc(x, size=4)
            self.loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(x, label))
            rate = fluid.layers.exponential_decay(0.05, decay_steps=2, decay_rate=0.8, staircase=True)
            optimizers[optimizer](rate).minimize(self.loss)
        self.exe = fluid.Executor(fluid.CPUPlace())
        self.exe.run(startup)
        self.parts = {"program": self.program}

    def step(self, batch):
        image, label = arrays(batch)
        return self.exe.run(self.program, feed={"image": image, "label": label}, fetch_list=[self.loss])[0].item()


class Net(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.conv = fluid.dygraph.Conv2D(1, 3, 3)
        self.norm = fluid.dygraph.BatchNorm(3, act="relu")
        self.fc = fluid.dygraph.Linear(108, 4)

    def forward(self, x):
        x = fluid.layers.dropout(self.norm(self.conv(x)), dropout_prob=0.4)
        return self.fc(fluid.layers.reshape(x, [-1, 108]))


class Imperative:
    def __init__(self, optimizer):
        with fluid.unique_name.guard():
            self.net = Net()
            rate = fluid.dygraph.ExponentialDecay(0.05, decay_steps=2, decay_rate=0.8, staircase=True)
            self.optimizer = optimizers[optimizer](rate, parameter_list=self.net.parameters())
            self.parts = {"model": self.net, "optimizer": self.optimizer}

    def step(self, batch):
        image, label = (fluid.dygraph.to_variable(array) for array in arrays(batch))
        with fluid.unique_name.guard():
            loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(self.net(image), label))
            loss.backward()
            self.optimizer.minimize(loss)
            self.net.clear_gradients()
        return loss.numpy().item()


optimizers = {
    "adam": lambda rate, **more: fluid.optimizer.Adam(rate, **more),
    "momentum": lambda rate, **more: fluid.optimizer.Momentum(rate, momentum=0.9, **more),
}


class Stopped(Exception):
    pass


def train(training, path, stop_after=None):
    """Train to the end or to a step, with a checkpoint after each; the losses by step."""
    reader = shuffled_batches()
    state = checkpoint.load(path, reader=reader, **training.parts)
    losses = state.extra.get("losses", [])
    for epoch in range(state.epoch, EPOCHS):
        for batch in reader():
            losses.append(training.step(batch))
            checkpoint.save(path, reader=reader, epoch=epoch, extra={"losses": losses}, **training.parts)
            if len(losses) == stop_after:
                raise Stopped
    return losses


def begin_anew(seed):
    random.seed(seed)
    np.random.seed(seed)
    fluid.default_main_program().random_seed = seed


@pytest.mark.parametrize("optimizer", list(optimizers))
@pytest.mark.parametrize("kind", [Static, Imperative])
def test_resumed_after_any_step(kind, optimizer, tmp_path):
    with fluid.dygraph.guard() if kind is Imperative else fluid.scope_guard(fluid.Scope()):
        begin_anew(5)
        first = kind(optimizer)
        checkpoint.save(str(tmp_path / "begin"), **first.parts)
        whole = train(first, str(tmp_path / "whole"))
        assert len(whole) == EPOCHS * BATCHES and len(set(whole)) == len(whole)
        for stop in range(1, len(whole)):
            path = str(tmp_path / f"stopped_{stop}")
            begin_anew(99)  # whatever the state was, the checkpoint decides
            training = kind(optimizer)
            checkpoint.load(str(tmp_path / "begin"), **training.parts)
            with pytest.raises(Stopped):
                train(training, path, stop_after=stop)
            begin_anew(77 + stop)
            assert train(kind(optimizer), path) == whole, stop
    fluid.default_main_program().random_seed = 0


def test_resumed_in_another_process(tmp_path):
    script = """
import sys
from tests.saving.test_checkpoint import Static, Stopped, begin_anew, train
import paddle.fluid as fluid
begin_anew(5)
training = Static("adam")
training.program.random_seed = 11
try:
    print(train(training, sys.argv[1], int(sys.argv[2])))
except Stopped:
    pass
"""

    def run(name, stop):
        command = [sys.executable, "-c", script, str(tmp_path / name), str(stop)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    # One process cannot begin with the random state of another, so the first step is what both share.
    run("parts", 1)
    (tmp_path / "whole").write_bytes((tmp_path / "parts").read_bytes())
    run("parts", 3)
    run("parts", 6)
    assert run("parts", 99) == run("whole", 99)


def test_a_reader_that_has_less_than_before_is_told():
    reader = checkpoint.ResumableReader(lambda: iter(range(3)))
    reader.resume({"start": checkpoint_start(), "position": 5})
    with pytest.raises(EnforceNotMet, match="the reader ended after 3 of 5 batches"):
        list(reader())


def checkpoint_start():
    reader = checkpoint.ResumableReader(lambda: iter(range(9)))
    next(reader())
    return reader.state()["start"]


def test_what_does_not_fit_changes_nothing(tmp_path):
    path = str(tmp_path / "point")
    with fluid.dygraph.guard():
        training = Imperative("adam")
        checkpoint.save(path, **training.parts)
        with pytest.raises(EnforceNotMet, match="the checkpoint has no program"):
            checkpoint.load(path, program=fluid.Program())
        other = fluid.dygraph.Linear(3, 2)
        before = other.weight.numpy()
        with pytest.raises(EnforceNotMet):
            checkpoint.load(path, model=other)
        assert np.array_equal(other.weight.numpy(), before)


def test_no_file_is_the_beginning(tmp_path):
    assert checkpoint.load(str(tmp_path / "none"), program=fluid.Program()) == checkpoint.Checkpoint()


def test_other_files_are_refused(tmp_path):
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2)
        fluid.save_dygraph(layer.state_dict(), str(tmp_path / "net"))
        with pytest.raises(EnforceNotMet, match="this is not a checkpoint"):
            checkpoint.load(str(tmp_path / "net.pdparams"), model=layer)
    with pytest.raises(EnforceNotMet, match="give a program"):
        checkpoint.save(str(tmp_path / "x"))
