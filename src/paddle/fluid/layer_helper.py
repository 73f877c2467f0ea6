"""paddle.fluid.layer_helper: what layer functions of one's own are written with."""

from refluid.layers.helper import LayerHelper as LayerHelper
