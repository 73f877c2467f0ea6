"""The training steps of parallel_fluid.py in PyTorch, with DistributedDataParallel over Gloo."""

import torch
import torch._dynamo  # the first optimizer loads it
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from workloads import data, lstm_torch, mnist_torch, pair


def _train(function, make, make_optimizer, arrays):
    pair.join(__name__, function)
    dist.init_process_group("gloo")
    model = DistributedDataParallel(make())
    optimizer = make_optimizer(model.parameters())

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model(*[torch.from_numpy(array) for array in arrays])
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


class WithLoss(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, label):
        return F.cross_entropy(self.network(x), label.ravel())


class LanguageModel(lstm_torch.LanguageModel):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(data.LARGE_VOCABULARY, data.LSTM_HIDDEN, sparse=True)


def mnist():
    return _train("mnist", lambda: WithLoss(mnist_torch.MNIST()), lambda p: torch.optim.Adam(p, lr=0.001), data.mnist())


def mlp():
    width = data.MLP_WIDTH

    def make():
        layers = nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)
        return WithLoss(nn.Sequential(*layers))

    return _train("mlp", make, lambda p: torch.optim.SGD(p, lr=0.01), data.mlp())


def lstm():
    return _train("lstm", LanguageModel, lambda p: torch.optim.SGD(p, lr=1.0), data.lstm_large_vocabulary())
