"""paddle.fluid.dygraph.layers: the base of layers."""

from refluid.nn.layer import Layer as Layer
