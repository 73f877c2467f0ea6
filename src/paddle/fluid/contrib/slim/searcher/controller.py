"""paddle.fluid.contrib.slim.searcher.controller: who proposes tokens."""

from refluid.contrib.slim.searcher.controller import (
    EvolutionaryController as EvolutionaryController,
    SAController as SAController,
)
