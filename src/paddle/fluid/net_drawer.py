"""paddle.fluid.net_drawer: programs drawn for graphviz."""

from refluid.export.net_drawer import (
    GRAPH_STYLE as GRAPH_STYLE,
    OP_STYLE as OP_STYLE,
    VAR_STYLE as VAR_STYLE,
    draw_edge as draw_edge,
    draw_graph as draw_graph,
    draw_node as draw_node,
    parse_graph as parse_graph,
    unique_id as unique_id,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
