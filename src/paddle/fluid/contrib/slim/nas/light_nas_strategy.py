"""paddle.fluid.contrib.slim.nas.light_nas_strategy: architectures by search."""

from refluid.contrib.slim.nas.light_nas import LightNASStrategy as LightNASStrategy
