"""The inputs of every work, the same numbers for every API (this file runs on Python 3.8 too)."""

import numpy as np

MNIST_BATCH = 64
RESNET_BATCH = 4
RESNET_SIZE = 112
RESNET_CLASSES = 1000
RESNET_STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))  # filters, blocks: the 50-layer network
MLP_BATCH = 128
MLP_WIDTH = 1024
CHAIN_REPEATS = 5  # of six operators each


def mnist():
    """Images [64, 1, 28, 28] float32 and labels [64, 1] int64."""
    rng = np.random.RandomState(0)
    images = rng.uniform(-1, 1, (MNIST_BATCH, 1, 28, 28)).astype("float32")
    return images, rng.randint(0, 10, (MNIST_BATCH, 1)).astype("int64")


def linear():
    """The ten equations of y = 4a + 6b + 7c + 2d that the Fluid guide solves: [10, 4] and [10, 1] float32."""
    rng = np.random.RandomState(0)
    x = rng.randint(5, size=(10, 4)).astype("float32")
    return x, x.dot(np.array([[4], [6], [7], [2]], "float32"))


def chain():
    """The leaf and the two fixed operands of the chain of small operators, [16, 16] float32 each."""
    rng = np.random.RandomState(0)
    return tuple(rng.uniform(0.5, 1.5, (16, 16)).astype("float32") for _ in range(3))


def resnet():
    """Images [4, 3, 112, 112] float32 and labels [4, 1] int64."""
    rng = np.random.RandomState(0)
    images = rng.uniform(-1, 1, (RESNET_BATCH, 3, RESNET_SIZE, RESNET_SIZE)).astype("float32")
    return images, rng.randint(0, RESNET_CLASSES, (RESNET_BATCH, 1)).astype("int64")


def mlp():
    """Inputs [128, 1024] float32 and labels [128, 1] int64."""
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, (MLP_BATCH, MLP_WIDTH)).astype("float32")
    return x, rng.randint(0, 10, (MLP_BATCH, 1)).astype("int64")
