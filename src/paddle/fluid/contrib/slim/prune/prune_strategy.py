"""paddle.fluid.contrib.slim.prune.prune_strategy: networks with fewer filters."""

from refluid.contrib.slim.prune.base import PruneStrategy as PruneStrategy
from refluid.contrib.slim.prune.sensitive import SensitivePruneStrategy as SensitivePruneStrategy
from refluid.contrib.slim.prune.uniform import UniformPruneStrategy as UniformPruneStrategy

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
