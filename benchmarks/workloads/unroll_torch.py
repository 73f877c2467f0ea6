"""Training step of one LSTM cell unrolled over 200 steps in PyTorch eager: the loop of unroll_fluid.py."""

import torch
import torch._dynamo  # the first optimizer loads it; here it counts as import, not as training memory
from torch import nn

from workloads import data


def eager():
    gates = nn.Linear(2 * data.UNROLL_HIDDEN, 4 * data.UNROLL_HIDDEN)
    sgd = torch.optim.SGD(gates.parameters(), lr=0.1)
    arrays = data.unroll()

    def step():
        sgd.zero_grad(set_to_none=True)
        x, cell, target = [torch.from_numpy(array) for array in arrays]
        hidden = cell
        for t in range(data.UNROLL_STEPS):
            i, j, f, o = gates(torch.cat([x[:, t], hidden], 1)).chunk(4, -1)
            cell = cell * torch.sigmoid(f) + torch.sigmoid(i) * torch.tanh(j)
            hidden = torch.tanh(cell) * torch.sigmoid(o)
        loss = torch.mean(torch.square(hidden - target))
        loss.backward()
        sgd.step()
        return loss.item()

    return step
