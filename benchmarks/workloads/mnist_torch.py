"""MNIST training step in PyTorch eager: the network of mnist_fluid.py, with either layout of images and filters."""

import torch
import torch._dynamo  # the first optimizer loads it; here it counts as import, not as training memory
import torch.nn.functional as F
from torch import nn

from workloads import data


class MNIST(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 20, 5)
        self.conv2 = nn.Conv2d(20, 50, 5)
        self.fc = nn.Linear(800, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def eager(layout=torch.contiguous_format):
    model = MNIST().to(memory_format=layout)
    adam = torch.optim.Adam(model.parameters(), lr=0.001)
    images, labels = data.mnist()
    labels = labels.ravel()

    def step():
        adam.zero_grad(set_to_none=True)
        pictures = torch.from_numpy(images).contiguous(memory_format=layout)
        loss = F.cross_entropy(model(pictures), torch.from_numpy(labels))
        loss.backward()
        adam.step()
        return loss.item()

    return step


def channels_last():
    return eager(torch.channels_last)
