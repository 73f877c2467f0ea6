"""distributed_batch_reader: every process of a training reads its own shard of the batches."""

import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from refluid.core.errors import ArgumentError


def distributed_batch_reader(batch_reader: Callable[[], Any]) -> Callable[[], Iterator[Any]]:
    """A reader of the batches of this process (PADDLE_TRAINER_ID) among PADDLE_TRAINERS_NUM.

    Batches are assigned round-robin. All processes get the same number of them, so that none waits for another at the
    end: the last turn is dropped if it is not complete, as in Fluid.

    Args:
        batch_reader: a reader of batches.

    Returns:
        A reader of batches.

    Example:
        >>> reader = fluid.contrib.reader.distributed_batch_reader(paddle.batch(lambda: range(4), 2))
        >>> list(reader())  # of one process
        [[0, 1], [2, 3]]
    """
    count = int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
    number = int(os.environ.get("PADDLE_TRAINER_ID", "0"))
    if not 0 <= number < count:
        raise ArgumentError(
            f"distributed_batch_reader: PADDLE_TRAINER_ID must be below PADDLE_TRAINERS_NUM={count}, got {number}"
        )

    def share() -> Iterator[Any]:
        batches = iter(batch_reader())
        while len(turn := list(islice(batches, count))) == count:
            yield turn[number]

    return share
