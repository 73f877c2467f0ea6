"""paddle.fluid.dygraph.jit: from imperative layers to programs."""

from refluid.jit.function import declarative as declarative, dygraph_to_static_func as dygraph_to_static_func
from refluid.jit.names import (
    create_program_from_desc as create_program_from_desc,
    extract_vars as extract_vars,
    logger as logger,
)
from refluid.jit.traced import TracedLayer as TracedLayer

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
