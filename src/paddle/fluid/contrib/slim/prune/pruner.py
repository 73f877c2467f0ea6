"""paddle.fluid.contrib.slim.prune.pruner: which filters go."""

from refluid.contrib.slim.prune.pruner import Pruner as Pruner, StructurePruner as StructurePruner

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
