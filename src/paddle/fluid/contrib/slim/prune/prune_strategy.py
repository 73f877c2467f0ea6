"""paddle.fluid.contrib.slim.prune.prune_strategy: networks with fewer filters."""

from refluid.contrib.slim.prune.base import PruneStrategy as PruneStrategy
from refluid.contrib.slim.prune.sensitive import SensitivePruneStrategy as SensitivePruneStrategy
from refluid.contrib.slim.prune.uniform import UniformPruneStrategy as UniformPruneStrategy
