"""A small part of MNIST, a LeNet to learn it, and both modes to learn it in."""

import contextlib
from functools import cache

import numpy as np

import paddle.fluid as fluid
from paddle.incubate.hapi.datasets import MNIST
from paddle.incubate.hapi.loss import CrossEntropy
from paddle.incubate.hapi.metrics import Accuracy
from paddle.incubate.hapi.model import Input
from paddle.incubate.hapi.vision.models import LeNet

MODES = ("static", "imperative")


class Digits(fluid.io.Dataset):
    """The first digits of MNIST."""

    def __init__(self, count, mode="train"):
        self.count, self.all = count, _mnist(mode)

    def __getitem__(self, i):
        return self.all[i]

    def __len__(self):
        return self.count


@cache
def _mnist(mode):
    return MNIST(mode=mode)


@contextlib.contextmanager
def in_mode(mode):
    """A fresh world in this mode: programs, scope and names of its own."""
    if mode == "imperative":
        with fluid.dygraph.guard():
            yield
    else:
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
            with fluid.unique_name.guard():
                yield


def batch(count=8, start=0):
    samples = [_mnist("train")[i] for i in range(start, start + count)]
    return np.stack([image for image, _ in samples]), np.stack([label for _, label in samples])


def inputs():
    return [Input([None, 1, 28, 28], "float32", name="image")]


def labels():
    return [Input([None, 1], "int64", name="label")]


def prepared(model=None, optimizer=None, metrics=None, rate=0.001):
    """A LeNet that is ready to train, in the present mode."""
    model = LeNet() if model is None else model
    if optimizer is None:
        optimizer = fluid.optimizer.Adam(rate, parameter_list=model.parameters())
    model.prepare(optimizer, CrossEntropy(), Accuracy() if metrics is None else metrics, inputs(), labels())
    return model
