"""What a server writes down before it changes, so that it can go on after it was killed.

A change of a server's memory is a message. It is recorded, then carried out; whoever carries it out can do so again
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
        """Become what `pieces` came from."""

    def replay(self, message: Message) -> None:
        """Do again what a record says."""


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
        """Bring the parts back to what they were, or keep them as they are now."""

    def record(self, message: Message, settled: bool = True) -> AbstractContextManager[None]:
        """Write `message` down; the block that follows is the change that it tells of.

        Not settled: a snapshot behind this record would have to hold all that the message has, and waits for another.
        """
        return nullcontext()

    def finish(self) -> None:
        """The job has come to its end; its state is of no use any more."""

    def close(self) -> None:
        """Leave the state to a server that is started later."""
