"""paddle.framework.random: the seed of random numbers."""

from refluid.alpha.tensor.random import manual_seed as manual_seed
