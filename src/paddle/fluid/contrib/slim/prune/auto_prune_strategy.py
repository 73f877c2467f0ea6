"""paddle.fluid.contrib.slim.prune.auto_prune_strategy: ratios by search."""

from refluid.contrib.slim.prune.auto import AutoPruneStrategy as AutoPruneStrategy
