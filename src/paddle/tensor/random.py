"""paddle.tensor.random: random numbers."""

from refluid.alpha.tensor.random import rand as rand
from refluid.data.readers.combine import shuffle as shuffle
from refluid.layers.random import randint as randint, randn as randn, randperm as randperm
