"""paddle.fluid.layer_helper_base: what LayerHelper is made on."""

from refluid.layers.helper import LayerHelper as LayerHelperBase

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
