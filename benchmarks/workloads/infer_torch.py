"""Prediction in PyTorch eager under inference_mode: the networks of infer_fluid.py, ResNet in channels_last."""

import numpy as np
import torch

from workloads.mnist_torch import MNIST
from workloads.resnet_torch import ResNet

SIZE = 224  # of ResNet's images


def prediction(model, batch, shape, layout=torch.contiguous_format):
    model = model.eval().to(memory_format=layout)
    images = np.random.RandomState(0).uniform(-1, 1, (batch, *shape)).astype("float32")

    def step():
        with torch.inference_mode():
            return torch.softmax(model(torch.from_numpy(images).contiguous(memory_format=layout)), 1).numpy()

    return step


def lenet_1():
    return prediction(MNIST(), 1, (1, 28, 28))


def lenet_16():
    return prediction(MNIST(), 16, (1, 28, 28))


def resnet_1():
    return prediction(ResNet(), 1, (3, SIZE, SIZE), torch.channels_last)


def resnet_16():
    return prediction(ResNet(), 16, (3, SIZE, SIZE), torch.channels_last)
