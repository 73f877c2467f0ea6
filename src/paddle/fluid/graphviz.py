"""paddle.fluid.graphviz: graphs as text for graphviz."""

from refluid.export.drawing.dot import (
    Edge as Edge,
    Graph as Graph,
    GraphPreviewGenerator as GraphPreviewGenerator,
    Node as Node,
    Rank as Rank,
    crepr as crepr,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
