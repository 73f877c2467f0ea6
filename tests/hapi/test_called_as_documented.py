"""Calls as the documents of 2.0-alpha make them."""

import numpy as np

import paddle.fluid as fluid
from paddle.incubate.hapi.text import CRFDecoding, PrePostProcessLayer
from paddle.incubate.hapi.vision.models import VGG, ResNet
from paddle.incubate.hapi.vision.models.resnet import BottleneckBlock
from paddle.incubate.hapi.vision.models.vgg import make_layers

D = fluid.dygraph


def test_the_layers_of_a_vgg_by_their_filters():
    with D.guard():
        features = make_layers([8, "M", 16, 16, "M"])
        assert features(D.to_variable(np.ones((1, 3, 8, 8), "float32"))).shape == [1, 16, 2, 2]
        assert VGG(features, num_classes=-1).features is features
        assert make_layers([4], batch_norm=True)(D.to_variable(np.ones((1, 3, 8, 8), "float32"))).shape == [1, 4, 8, 8]


def test_a_resnet_of_bottleneck_blocks():
    with D.guard():
        assert len(ResNet(BottleneckBlock, 50, num_classes=-1).sublayers()) > 50


def test_a_process_layer_drops_a_tenth_by_default():
    with D.guard():
        assert PrePostProcessLayer("n", 32)(D.to_variable(np.ones((2, 4, 32), "float32"))).shape == [2, 4, 32]
        assert PrePostProcessLayer("d", 32).dropout_rate == 0.1


def test_decoding_takes_lengths_second():
    with D.guard():
        emission = D.to_variable(np.random.RandomState(0).rand(2, 8, 5).astype("float32"))
        assert CRFDecoding(size=5)(emission, D.to_variable(np.array([6, 8]))).shape == [2, 8]
