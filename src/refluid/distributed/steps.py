"""Steps: the step counter of a rank, which is sent with its gradients.

A rank that leaves out a part of a step (apply_collective_grads, or the update after it) still sends as many gradients
as the others, but from then on they belong to other parameters. The number is summed with them, so it costs nothing; a
sum that is not this rank's number times the number of ranks means that they are out of step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.distributed.ring import Ring


class Steps:
    """The steps that a rank has made with `params`."""

    def __init__(self, params: Sequence[Any]):
        self._params = params
        self._made = 0
        self._versions: list[int] = []  # of the parameters after the last step
        self._updated = True

    def look(self) -> None:
        """Check whether the parameters have been changed since the last step."""
        self._updated = self._versions != self._now()

    def end(self) -> None:
        """A step has been made."""
        self._made += 1
        self._versions = self._now()

    def _now(self) -> list[int]:
        return [param._t._version for param in self._params]

    def stamp(self, place: torch.Tensor, ring: Ring) -> None:
        """Write the step of this rank into a number that will be summed."""
        place.fill_(self._number(place.dtype, ring.size))

    def check(self, total: float, dtype: torch.dtype, ring: Ring) -> None:
        """Compare with the sum of the numbers of all ranks."""
        if total != ring.size * self._number(dtype, ring.size):
            raise ring.world.failure(RuntimeError("ranks have made different numbers of steps"))

    def _number(self, dtype: torch.dtype, ranks: int) -> int:
        exact = int(2 / torch.finfo(dtype).eps)  # sums of whole numbers up to here are exact
        return (2 * self._made + self._updated) % max(exact // ranks, 2)

    def __str__(self) -> str:
        return f"step {self._made}" + ("" if self._updated else " without an update after the last one")
