"""The three-layer perceptron of mlp_fluid.py in PyTorch eager."""

import torch
import torch._dynamo  # the first optimizer loads it
import torch.nn.functional as F
from torch import nn

from workloads import data


def eager():
    width = data.MLP_WIDTH
    model = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10))
    sgd = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs, labels = data.mlp()
    labels = labels.ravel()

    def step():
        sgd.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(torch.from_numpy(inputs)), torch.from_numpy(labels))
        loss.backward()
        sgd.step()
        return loss.item()

    return step
