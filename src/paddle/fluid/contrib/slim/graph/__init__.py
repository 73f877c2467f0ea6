"""paddle.fluid.contrib.slim.graph: programs as slim sees them."""

from paddle.fluid.contrib.slim.graph import executor as executor, graph_wrapper as graph_wrapper
from refluid.contrib.slim.graph.executor import SlimGraphExecutor as SlimGraphExecutor
from refluid.contrib.slim.graph.wrapper import (
    GraphWrapper as GraphWrapper,
    OpWrapper as OpWrapper,
    VarWrapper as VarWrapper,
)
