"""paddle.fluid.contrib.slim.nas.search_space: what tokens stand for."""

from refluid.contrib.slim.nas.search_space import SearchSpace as SearchSpace
