"""paddle.fluid.contrib.slim.nas.search_agent: asks for tokens."""

from refluid.contrib.slim.nas.search_agent import SearchAgent as SearchAgent

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
