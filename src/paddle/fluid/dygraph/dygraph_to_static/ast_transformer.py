"""paddle.fluid.dygraph.dygraph_to_static.ast_transformer: translated functions."""

from refluid.jit.names import convert_to_static as convert_to_static

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
