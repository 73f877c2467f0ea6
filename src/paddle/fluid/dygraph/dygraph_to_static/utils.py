"""paddle.fluid.dygraph.dygraph_to_static.utils: source from trees."""

from refluid.jit.names import ast_to_source_code as ast_to_source_code

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
