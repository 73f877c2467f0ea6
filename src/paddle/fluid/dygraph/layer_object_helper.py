"""paddle.fluid.dygraph.layer_object_helper: what Layer classes of one's own are written with."""

from refluid.nn.helper import LayerObjectHelper as LayerObjectHelper
