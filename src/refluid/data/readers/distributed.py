"""distributed_batch_reader: every process of a training reads its own share of the batches."""

import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any


def distributed_batch_reader(batch_reader: Callable[[], Any]) -> Callable[[], Iterator[Any]]:
    """A reader of the batches of this process (PADDLE_TRAINER_ID) among PADDLE_TRAINERS_NUM.

    Batches are dealt out in turn. All processes get the same number of them, so that none waits for another at the end:
    the last round is left out if it is not whole, as in Fluid.
    """
    count = int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
    number = int(os.environ.get("PADDLE_TRAINER_ID", "0"))
    if not 0 <= number < count:
        raise ValueError(
            f"distributed_batch_reader: PADDLE_TRAINER_ID must be below PADDLE_TRAINERS_NUM={count}, got {number}"
        )

    def share() -> Iterator[Any]:
        batches = iter(batch_reader())
        while len(turn := list(islice(batches, count))) == count:
            yield turn[number]

    return share
