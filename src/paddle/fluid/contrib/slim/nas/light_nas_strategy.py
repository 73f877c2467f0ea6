"""paddle.fluid.contrib.slim.nas.light_nas_strategy: architectures by search."""

from refluid.contrib.slim.nas.light_nas import LightNASStrategy as LightNASStrategy

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
