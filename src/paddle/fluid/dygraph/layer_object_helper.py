"""paddle.fluid.dygraph.layer_object_helper: what Layer classes of one's own are written with."""

from refluid.nn.helper import LayerObjectHelper as LayerObjectHelper

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
