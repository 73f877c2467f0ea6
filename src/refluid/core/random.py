"""Random numbers: which operators start from a seed at every run, and which continue a stream.

Note [Seeds]
An operator with a `seed` attribute other than 0 gives the same numbers every time, as in Fluid. Otherwise the seed of
its program counts (set before or after building): operators that create tensors (`random="fresh"`) start from it at
every run, so that a startup program gives the same parameters each time; operators inside a network such as dropout
(`random="stream"`) go on from run to run. Without any seed all draw from one global generator. Parameters take the seed
of their startup program, in the imperative mode that of the main program, as their own: those of one shape begin alike.
"""

from __future__ import annotations

import torch


class RandomState:
    """The generator of one program, or of the process."""

    def __init__(self) -> None:
        self.seed = 0
        self.stream = torch.Generator()

    def set_seed(self, seed: int) -> None:
        self.seed = seed
        if seed:
            self.stream.manual_seed(seed)


process = RandomState()
process.stream.seed()


def manual_seed(seed: int) -> torch.Generator:
    """Seed the generator that everything without a seed of its own draws from."""
    process.stream.manual_seed(seed)
    return process.stream


def fresh(seed: int, position: int = 0) -> torch.Generator:
    """A generator that depends on the seed and the operator's position alone."""
    return torch.Generator().manual_seed((seed * 1_000_003 + position) & 0x7FFF_FFFF_FFFF_FFFF)


def stream_of(state: RandomState) -> torch.Generator:
    return state.stream if state.seed else process.stream
