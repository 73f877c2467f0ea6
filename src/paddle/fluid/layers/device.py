"""paddle.fluid.layers.device: the devices of the machine."""

from refluid.layers.device import get_places as get_places
