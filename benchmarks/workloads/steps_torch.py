"""The training steps of steps_fluid.py in PyTorch eager."""

import os
import sys

import torch
import torch._dynamo  # the first optimizer loads it
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from workloads import steps_sizes as sizes


def trained(parameters, loss_of):
    sgd = torch.optim.SGD(parameters, lr=0.01)

    def step():
        sgd.zero_grad(set_to_none=True)
        loss = loss_of()
        loss.backward()
        sgd.step()
        return loss.item()

    return step


def mlp(batch, layers, width):
    hidden = [layer for _ in range(layers - 1) for layer in (nn.Linear(width, width), nn.ReLU())]
    model = nn.Sequential(*hidden, nn.Linear(width, sizes.CLASSES))
    x, label = sizes.examples(batch, width)
    label = label.ravel()
    return trained(model.parameters(), lambda: F.cross_entropy(model(torch.from_numpy(x)), torch.from_numpy(label)))


def batch(size):
    yield mlp(size, sizes.BATCH_LAYERS, sizes.BATCH_WIDTH)


def depth(size):
    yield mlp(sizes.DEPTH_BATCH, size, sizes.DEPTH_WIDTH)


def length(size):
    model = nn.LSTM(sizes.LENGTH_WIDTH, sizes.LENGTH_WIDTH, batch_first=True)
    x = sizes.sequences(size)
    yield trained(model.parameters(), lambda: model(torch.from_numpy(x))[0][:, -1].square().mean())


def operators(size):
    start = nn.Parameter(torch.randn(sizes.SIDE, sizes.SIDE))
    y = torch.ones(sizes.SIDE, sizes.SIDE)

    def loss_of():
        x = start
        for i in range(size):
            x = (torch.tanh, lambda x: x + y, lambda x: x * 0.5)[i % 3](x)
        return x.mean()

    yield trained([start], loss_of)


if __name__ == "__main__":
    sizes.tell({make.__name__: make for make in (batch, depth, length, operators)})
