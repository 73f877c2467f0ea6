"""paddle.fluid.layer_helper: what layer functions of one's own are written with."""

from refluid.layers.helper import LayerHelper as LayerHelper

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
