"""The CTR network of ctr_fluid.py in PyTorch, with sparse gradients of the tables."""

import itertools

import torch
import torch._dynamo  # the first optimizer loads it
import torch.nn.functional as F
from torch import nn

from workloads import data


class CTR(nn.Module):
    def __init__(self):
        super().__init__()
        tables = [nn.Embedding(data.CTR_ROWS, data.CTR_WIDTH, sparse=True) for _ in range(data.CTR_SLOTS)]
        self.tables = nn.ModuleList(tables)
        for table in self.tables:
            nn.init.uniform_(table.weight, -0.01, 0.01)
        layers, width = [], data.CTR_SLOTS * data.CTR_WIDTH + data.CTR_DENSE
        for size in data.CTR_HIDDEN:
            layers += [nn.Linear(width, size), nn.ReLU()]
            width = size
        self.network = nn.Sequential(*layers, nn.Linear(width, 2))

    def forward(self, slots, dense):
        rows = [table(ids) for table, ids in zip(self.tables, slots)]
        return self.network(torch.cat([*rows, dense], 1))


def eager():
    model = CTR()
    sgd = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = itertools.cycle(
        [([one.ravel() for one in ids], dense, label.ravel()) for ids, dense, label in data.ctr()]
    )

    def step():
        ids, dense, label = next(batches)
        sgd.zero_grad(set_to_none=True)
        predicted = model([torch.from_numpy(one) for one in ids], torch.from_numpy(dense))
        loss = F.cross_entropy(predicted, torch.from_numpy(label))
        loss.backward()
        sgd.step()
        return loss.item()

    return step
