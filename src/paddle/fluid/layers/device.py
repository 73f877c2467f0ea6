"""paddle.fluid.layers.device: the devices of the machine."""

from refluid.layers.device import get_places as get_places

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
