"""Decorators that need no threads: cache, map_readers, compose, chain, shuffle, firstn."""

import itertools
import numbers
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.warn import warn_once
from refluid.data.readers.calling import samples_of

Reader = Callable[[], Iterable[Any]]

_ENDED = object()


class ComposeNotAligned(EnforceNotMet, ValueError):
    """Readers composed into one ended at different lengths.

    Args:
        summary: the message.
        details: rows (label, text) below it.
    """


def cache(reader: Reader) -> Reader:
    """Read all samples now and serve them from memory from then on.

    Args:
        reader: a function that returns an iterable of samples.

    Returns:
        A reader: a function that returns an iterable of samples.
    """
    samples = tuple(samples_of(reader, "cache"))
    return lambda: iter(samples)


def map_readers(func: Callable[..., Any], *readers: Reader) -> Reader:
    """A reader of func(a, b, ...) for the samples a, b, ... of several readers; it ends with the shortest.

    Args:
        func: a function of one sample of each reader.
        readers: the readers.

    Returns:
        A reader: a function that returns an iterable of samples.

    Example:
        >>> list(map_readers(lambda a, b: a + b, lambda: [1, 2], lambda: [10, 20])())
        [11, 22]
    """
    return lambda: map(func, *(samples_of(reader, "map_readers") for reader in readers))


def compose(*readers: Reader, **kwargs: bool) -> Reader:
    """A reader of tuples that join the samples of several readers; a sample that is a tuple is unpacked.

    Args:
        readers: the readers to join.
        kwargs: check_alignment=True raises ComposeNotAligned if one reader ends before another (the default); False
            stops with the shortest.

    Returns:
        A reader: a function that returns an iterable of samples.

    Example:
        >>> list(compose(lambda: [(1, 2), (3, 4)], lambda: [5, 6])())
        [(1, 2, 5), (3, 4, 6)]
    """
    check_alignment = kwargs.pop("check_alignment", True)
    if kwargs:
        raise ArgumentError(f"compose: unknown argument {', '.join(kwargs)}; it takes readers and check_alignment")

    def composed() -> Iterator[tuple]:
        iterables = [samples_of(reader, "compose") for reader in readers]
        for row in itertools.zip_longest(*iterables, fillvalue=_ENDED) if check_alignment else zip(*iterables):
            if _ENDED in map(_only_the_end, row):
                ended = ", ".join(str(i) for i, sample in enumerate(row) if sample is _ENDED)
                raise ComposeNotAligned(f"compose: outputs of readers are not aligned; reader {ended} ended first")
            yield tuple(itertools.chain.from_iterable(s if isinstance(s, tuple) else (s,) for s in row))

    return composed


def _only_the_end(sample: object) -> Any:
    # Comparing a sample itself would ask numpy for an elementwise answer.
    return sample if sample is _ENDED else None


def chain(*readers: Reader) -> Reader:
    """A reader of the samples of one reader after the other.

    Args:
        readers: the readers to concatenate.

    Returns:
        A reader: a function that returns an iterable of samples.

    Example:
        >>> list(chain(lambda: [1, 2], lambda: [3])())
        [1, 2, 3]
    """
    return lambda: itertools.chain.from_iterable(samples_of(reader, "chain") for reader in readers)


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """Fill a buffer of `buf_size` samples, shuffle it with Python's `random`, serve it, fill it again.

    Args:
        reader: a function that returns an iterable of samples.
        buf_size: the number of samples in the buffer.

    Returns:
        A reader: a function that returns an iterable of samples.

    Example:
        >>> train = paddle.batch(paddle.reader.shuffle(lambda: range(10), buf_size=10), batch_size=4)
        >>> [len(samples) for samples in train()]
        [4, 4, 2]
        >>> sorted(paddle.reader.shuffle(lambda: range(5), buf_size=2)())
        [0, 1, 2, 3, 4]
    """

    if not isinstance(buf_size, int | float):
        raise ArgumentError(f"shuffle: buf_size must be a number of samples, got {buf_size!r:.60}")

    def shuffled() -> Iterator[Any]:
        samples = iter(samples_of(reader, "shuffle"))
        while buffer := list(itertools.islice(samples, max(int(buf_size), 1))):
            random.shuffle(buffer)
            yield from buffer

    return shuffled


def firstn(reader: Reader, n: int) -> Reader:
    """A reader of at most the first n samples.

    Args:
        reader: a function that returns an iterable of samples.
        n: the number of samples.

    Returns:
        A reader: a function that returns an iterable of samples.
    """
    if isinstance(n, numbers.Real) and n >= 0 and n == int(n):
        count = int(n)
        return lambda: itertools.islice(samples_of(reader, "firstn"), count)
    warn_once(f"firstn: n must be a number of samples, got {n!r:.60}; every sample is read, as in Fluid")
    return lambda: iter(samples_of(reader, "firstn"))
