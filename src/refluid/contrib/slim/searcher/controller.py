"""Controllers: who proposes the next tokens to try, and is told how good they were."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from refluid.contrib.slim.log import logger_of
from refluid.core.errors import NotDefinedError

_logger = logger_of(__name__)


class EvolutionaryController:
    """Proposes lists of ints, "tokens", each from 0 to below its number in a range table."""

    def __init__(self, *args: object, **kwargs: object):
        pass

    def reset(self, range_table: list[int], init_tokens: list[int], constrain_func: Callable | None = None) -> None:
        raise NotDefinedError("EvolutionaryController.reset: a controller has to say how it begins")

    def update(self, tokens: list[int], reward: float) -> None:
        raise NotDefinedError("EvolutionaryController.update: a controller has to say what it learns from a reward")

    def next_tokens(self) -> list[int]:
        raise NotDefinedError("EvolutionaryController.next_tokens: a controller has to say what is tried next")


class SAController(EvolutionaryController):
    """Simulated annealing: worse tokens are accepted as well, with a probability that falls over time.

    Args:
        range_table: how many values each token has.
        reduce_rate, init_temperature: after n iterations the temperature is init_temperature * reduce_rate ** n.
        max_iter_number: how often it tries for tokens that constrain_func accepts.
    """

    def __init__(
        self,
        range_table: list[int] | None = None,
        reduce_rate: float = 0.85,
        init_temperature: float = 1024,
        max_iter_number: int = 300,
    ):
        self._range_table = range_table
        self._reduce_rate, self._init_temperature, self._max_iter_number = (
            reduce_rate,
            init_temperature,
            max_iter_number,
        )
        self._reward: float = -1
        self._max_reward: float = -1
        self._tokens: list[int] | None = None
        self._best_tokens: list[int] | None = None
        self._constrain_func: Callable | None = None
        self._iter = 0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_constrain_func"}

    def reset(self, range_table: list[int], init_tokens: list[int], constrain_func: Callable | None = None) -> None:
        """Begin with init_tokens; constrain_func(tokens) says whether tokens may be tried."""
        self._range_table, self._tokens, self._constrain_func = range_table, init_tokens, constrain_func
        self._iter = 0

    def update(self, tokens: list[int], reward: float) -> None:
        self._iter += 1
        temperature = self._init_temperature * self._reduce_rate**self._iter
        if reward > self._reward or np.random.random() <= math.exp((reward - self._reward) / temperature):
            self._reward, self._tokens = reward, tokens
        if reward > self._max_reward:
            self._max_reward, self._best_tokens = reward, tokens
        _logger.info("round %d: the best reward is %s, of %s", self._iter, self._max_reward, self._best_tokens)

    def next_tokens(self, control_token: list[int] | None = None) -> list[int]:
        """The last accepted tokens, or control_token, with one of them changed."""
        tokens = list(control_token or self._tokens)  # type: ignore[arg-type]
        ranges: Any = self._range_table
        index = self._place()
        shift = np.random.randint(ranges[index] - 1) + 1
        new = self._changed(tokens, index, (tokens[index] + shift) % ranges[index])
        for _ in range(self._max_iter_number if self._constrain_func is not None else 0):
            if self._constrain_func(new):  # type: ignore[misc]
                break
            index = self._place()
            new = self._changed(tokens, index, np.random.randint(ranges[index]))
        return new

    def _place(self) -> int:
        return int(len(self._range_table) * np.random.random())  # type: ignore[arg-type]

    @staticmethod
    def _changed(tokens: list[int], index: int, token: int) -> list[int]:
        return [int(token) if i == index else old for i, old in enumerate(tokens)]
