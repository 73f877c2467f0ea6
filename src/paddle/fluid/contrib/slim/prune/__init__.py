"""paddle.fluid.contrib.slim.prune: networks with fewer filters."""

from paddle.fluid.contrib.slim.prune import (
    auto_prune_strategy as auto_prune_strategy,
    prune_strategy as prune_strategy,
    pruner as pruner,
)
from refluid.contrib.slim.prune.auto import AutoPruneStrategy as AutoPruneStrategy
from refluid.contrib.slim.prune.base import PruneStrategy as PruneStrategy
from refluid.contrib.slim.prune.pruner import Pruner as Pruner, StructurePruner as StructurePruner
from refluid.contrib.slim.prune.sensitive import SensitivePruneStrategy as SensitivePruneStrategy
from refluid.contrib.slim.prune.uniform import UniformPruneStrategy as UniformPruneStrategy
