"""How a mistake is written down: a function whose wrong line ends with the comment `<-`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import NamedTuple


class Mistake(NamedTuple):
    """What must be told of a mistake.

    Args:
        names: the operator, function or layer that refuses.
        expected, got: words of the message about what would have been right, and what has come.
        imperative: made inside dygraph.guard().
        warned: Fluid computes it, so it is told by a warning.
    """

    program: Callable[[], None]
    names: str
    expected: str
    got: str
    imperative: bool
    warned: bool

    @property
    def line(self) -> int:
        lines, first = inspect.getsourcelines(self.program)
        return first + next(number for number, line in enumerate(lines) if line.rstrip().endswith("# <-"))


ALL: list[Mistake] = []


def mistake(names: str, expected: str, got: str, imperative: bool = False, warned: bool = False) -> Callable:
    def listed(program: Callable[[], None]) -> Callable[[], None]:
        ALL.append(Mistake(program, names, expected, got, imperative, warned))
        return program

    return listed
