"""paddle.fluid.contrib.slim.graph.graph_wrapper: programs with names for their inputs and outputs."""

from refluid.contrib.slim.graph.wrapper import (
    OPTIMIZER_OPS as OPTIMIZER_OPS,
    GraphWrapper as GraphWrapper,
    OpWrapper as OpWrapper,
    VarWrapper as VarWrapper,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
