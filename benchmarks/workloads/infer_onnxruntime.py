"""Prediction by onnxruntime with the models of infer_fluid.py, as `python -m refluid export` writes them."""

import os
import tempfile

import numpy as np
import onnxruntime

import paddle.fluid as fluid
from refluid.export.command import export
from workloads import infer_fluid


def prediction(network, batch, shape):
    """A step of a session on the exported model, with a thread per core, as everybody has."""
    exe = fluid.Executor(fluid.CPUPlace())
    prediction = network(fluid.data(name="image", shape=[None, *shape], dtype="float32"))
    exe.run(fluid.default_startup_program())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        fluid.io.save_inference_model(model, ["image"], [prediction], exe)
        file = os.path.join(folder, "model.onnx")
        export(model, "onnx", file)
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    images = np.random.RandomState(0).uniform(-1, 1, [batch, *shape]).astype("float32")

    def step():
        return session.run(None, {"image": images})[0]

    return step


def lenet_1():
    return prediction(infer_fluid.lenet, 1, [1, 28, 28])


def lenet_16():
    return prediction(infer_fluid.lenet, 16, [1, 28, 28])


def resnet_1():
    return prediction(infer_fluid.resnet, 1, [3, infer_fluid.SIZE, infer_fluid.SIZE])


def resnet_16():
    return prediction(infer_fluid.resnet, 16, [3, infer_fluid.SIZE, infer_fluid.SIZE])
