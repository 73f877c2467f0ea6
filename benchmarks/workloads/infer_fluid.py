"""Prediction with saved models in Fluid 1.8: the digit recogniser of mnist_fluid.py and ResNet-50, by the executor."""

import tempfile

import numpy as np

import paddle.fluid as fluid
from workloads import data, resnet_fluid

SIZE = 224  # of ResNet's images


def lenet(image):
    x = fluid.layers.conv2d(image, num_filters=20, filter_size=5, act="relu")
    x = fluid.layers.pool2d(x, pool_size=2, pool_type="max", pool_stride=2)
    x = fluid.layers.conv2d(x, num_filters=50, filter_size=5, act="relu")
    x = fluid.layers.pool2d(x, pool_size=2, pool_type="max", pool_stride=2)
    return fluid.layers.fc(x, size=10, act="softmax")


def resnet(image):
    x = resnet_fluid.conv_bn(image, 64, 7, 2, act="relu")
    x = fluid.layers.pool2d(x, pool_size=3, pool_stride=2, pool_padding=1, pool_type="max")
    for stage, (filters, blocks) in enumerate(data.RESNET_STAGES):
        for block in range(blocks):
            x = resnet_fluid.bottleneck(x, filters, 2 if block == 0 and stage > 0 else 1)
    x = fluid.layers.pool2d(x, pool_type="avg", global_pooling=True)
    return fluid.layers.fc(x, size=data.RESNET_CLASSES, act="softmax")


def prediction(network, batch, shape):
    """A step that predicts with a model that was saved and loaded."""
    exe = fluid.Executor(fluid.CPUPlace())
    prediction = network(fluid.data(name="image", shape=[None] + shape, dtype="float32"))
    exe.run(fluid.default_startup_program())
    with tempfile.TemporaryDirectory() as folder:
        fluid.io.save_inference_model(folder, ["image"], [prediction], exe)
        program, _, targets = fluid.io.load_inference_model(folder, exe)
    images = np.random.RandomState(0).uniform(-1, 1, [batch] + shape).astype("float32")

    def step():
        return exe.run(program, feed={"image": images}, fetch_list=targets)[0]

    return step


def lenet_1():
    return prediction(lenet, 1, [1, 28, 28])


def lenet_16():
    return prediction(lenet, 16, [1, 28, 28])


def resnet_1():
    return prediction(resnet, 1, [3, SIZE, SIZE])


def resnet_16():
    return prediction(resnet, 16, [3, SIZE, SIZE])
