"""paddle.fluid.dygraph.layers: the base of layers."""

from refluid.nn.layer import Hook as HookRemoveHelper, Layer as Layer

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
