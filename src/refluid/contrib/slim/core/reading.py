"""The two kinds of readers: functions that give batches, and loaders inside a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from refluid.core.errors import EOFException


def batches(reader: Any, run: Callable[[Any], Any]) -> Iterator[Any]:
    """What `run(batch)` gives for each batch; a loader that is part of the program feeds itself, and batch is None."""
    if not (hasattr(reader, "start") and not getattr(reader, "iterable", False)):
        for batch in reader():
            yield run(batch)
        return
    reader.start()
    while True:
        try:
            result = run(None)
        except EOFException:
            reader.reset()
            return
        yield result
