"""paddle.fluid.dygraph.container: layers of layers."""

from refluid.nn.container import LayerList as LayerList, ParameterList as ParameterList, Sequential as Sequential

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
