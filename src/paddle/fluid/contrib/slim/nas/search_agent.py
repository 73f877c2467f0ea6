"""paddle.fluid.contrib.slim.nas.search_agent: asks for tokens."""

from refluid.contrib.slim.nas.search_agent import SearchAgent as SearchAgent
