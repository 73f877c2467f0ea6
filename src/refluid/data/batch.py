"""batch: samples of a reader in lists of equal length."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.data.readers.calling import samples_of


def batch(
    reader: Callable[[], Iterable[Any]], batch_size: int, drop_last: bool = False
) -> Callable[[], Iterator[list]]:
    """Make a reader of lists of `batch_size` samples.

    Args:
        reader: a function that returns an iterable of samples.
        batch_size: the number of samples in a list.
        drop_last: leave out the last list if it is shorter.

    Returns:
        A reader of lists of samples.

    Example:
        >>> list(batch(lambda: range(5), 2)())
        [[0, 1], [2, 3], [4]]
    """
    size = int(batch_size)  # Fluid takes 2.5 and "3" too
    if size <= 0:
        raise ArgumentError(f"batch: batch_size must be a positive integer, got {batch_size}")

    def batch_reader() -> Iterator[list]:
        samples = iter(samples_of(reader, "batch"))
        while taken := list(islice(samples, size)):
            if len(taken) == size or not drop_last:
                yield taken

    return batch_reader
