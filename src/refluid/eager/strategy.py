"""BackwardStrategy: how a backward pass goes about its work."""

from __future__ import annotations


class BackwardStrategy:
    """Settings of `backward`.

    `sort_sum_gradient` asks for the gradients of a variable to be summed in the reverse order of its uses, so that
    two runs round alike. Here this is always so, whatever it is set to.
    """

    __slots__ = ("sort_sum_gradient",)

    def __init__(self) -> None:
        self.sort_sum_gradient = False
