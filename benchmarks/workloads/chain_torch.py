"""The chain of 30 small operators of chain_fluid.py in PyTorch eager."""

import torch

from workloads import data


def eager():
    x, shift, factor = (torch.from_numpy(a) for a in data.chain())
    x.requires_grad_()

    def step():
        x.grad = None
        y = x
        for _ in range(data.CHAIN_REPEATS):
            y = torch.relu(y)
            y = y + shift
            y = torch.tanh(y)
            y = y * factor
            y = y * 1.1
            y = torch.sigmoid(y)
        y.mean().backward()
        return x.grad.numpy()

    return step
