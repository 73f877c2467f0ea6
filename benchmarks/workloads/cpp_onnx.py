"""The models of cpp_refluid.py by onnxruntime, through its Python API, which adds some 10 us to a prediction."""

import os

import numpy as np
import onnxruntime

from workloads.cpp_models import NETWORKS, exported


def prediction(name, batch):
    _, shape, times = NETWORKS[name]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
    session = onnxruntime.InferenceSession(exported(name)[1], options, providers=["CPUExecutionProvider"])
    images = np.random.RandomState(0).uniform(-1, 1, (batch, *shape)).astype("float32")

    def step():
        for _ in range(times):
            (out,) = session.run(None, {"image": images})
        return out

    return step


def lenet_1():
    return prediction("lenet", 1)


def lenet_16():
    return prediction("lenet", 16)


def resnet_1():
    return prediction("resnet", 1)


def resnet_16():
    return prediction("resnet", 16)
