"""paddle.fluid.contrib.slim.prune.pruner: which filters go."""

from refluid.contrib.slim.prune.pruner import Pruner as Pruner, StructurePruner as StructurePruner
