"""paddle.fluid.contrib.slim.searcher.controller: who proposes tokens."""

from refluid.contrib.slim.searcher.controller import (
    EvolutionaryController as EvolutionaryController,
    SAController as SAController,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
