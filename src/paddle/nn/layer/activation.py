"""paddle.nn.layer.activation: activations."""

from refluid.alpha.nn.activation import HSigmoid as HSigmoid, LogSoftmax as LogSoftmax, ReLU as ReLU, Sigmoid as Sigmoid
