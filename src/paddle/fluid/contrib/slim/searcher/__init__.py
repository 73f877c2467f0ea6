"""paddle.fluid.contrib.slim.searcher: who proposes tokens."""

from paddle.fluid.contrib.slim.searcher import controller as controller
from refluid.contrib.slim.searcher.controller import (
    EvolutionaryController as EvolutionaryController,
    SAController as SAController,
)
