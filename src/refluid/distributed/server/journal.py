"""The write-ahead log of a server, so that it can continue after it was killed.

A change of a server's memory is a message. It is recorded, then applied; it can be applied again
from the message alone. `Journal` keeps nothing, which is right for a server without a state folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from refluid.distributed.server.wire import Message


class Kept(Protocol):
    """A part of a server's memory that survives the server."""

    def pieces(self) -> Iterator[Message]:
        """All of it, each piece small enough to be copied."""

    def restore(self, pieces: Iterator[Message]) -> None:
        """Restore the state from `pieces`."""

    def replay(self, message: Message) -> None:
        """Apply a record again."""


class Journal:
    """Records changes. The use of it:

        journal.keep("rounds", rounds, kinds=("pushed", ...))    # parts, in an order that does not change
        journal.begin()                                          # parts are now what they were, if there is a state
        with journal.record(message):                            # written down when the block is entered
            ...                                                  # the change; records are replayed in this order
        journal.finish()                                         # all trainers have left

    Between the parts' changes, never during one, the journal may ask for all their pieces.
    """

    def keep(self, name: str, part: Kept, kinds: Iterable[str] = ()) -> None:
        """`part` belongs to the state, and replays the records of these kinds."""

    def begin(self) -> None:
        """Restore the parts from the state, or write their first snapshot."""

    def record(self, message: Message, settled: bool = True) -> AbstractContextManager[None]:
        """Record `message`; the block that follows is the change that it describes.

        Not settled: a snapshot behind this record would have to hold all that the message has, and waits for another.
        """
        return nullcontext()

    def finish(self) -> None:
        """The job has finished; its state is not needed any more."""

    def close(self) -> None:
        """Leave the state to a server that is started later."""
