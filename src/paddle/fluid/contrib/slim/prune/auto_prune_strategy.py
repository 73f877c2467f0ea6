"""paddle.fluid.contrib.slim.prune.auto_prune_strategy: ratios by search."""

from refluid.contrib.slim.prune.auto import AutoPruneStrategy as AutoPruneStrategy

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
