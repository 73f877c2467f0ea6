"""SearchSpace: what tokens stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.errors import NotDefinedError

if TYPE_CHECKING:
    from refluid.ir.program import Program


class SearchSpace:
    """Networks by their tokens; make a subclass."""

    def __init__(self, *args: object, **kwargs: object):
        pass

    def init_tokens(self) -> list[int]:
        """The tokens of the first network."""
        raise NotDefinedError("SearchSpace.init_tokens: a search space has to say where it begins")

    def range_table(self) -> list[int]:
        """How many values each token has."""
        raise NotDefinedError("SearchSpace.range_table: a search space has to say how many values tokens have")

    def create_net(self, tokens: list[int]) -> tuple[Any, ...]:
        """(startup program, train program, test program, train metrics, test metrics, train reader, test reader)."""
        raise NotDefinedError("SearchSpace.create_net: a search space has to make the network of tokens")

    def get_model_latency(self, program: Program) -> float:
        """How long a program takes."""
        raise NotDefinedError("SearchSpace.get_model_latency: a search by latency has to measure it")
