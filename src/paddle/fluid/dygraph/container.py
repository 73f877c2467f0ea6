"""paddle.fluid.dygraph.container: layers of layers."""

from refluid.nn.container import LayerList as LayerList, ParameterList as ParameterList, Sequential as Sequential
