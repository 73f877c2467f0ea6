"""Strategy: what is done to a network while a Compressor trains it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context


class Strategy:
    """Does something at certain moments of a training; each method gets the Context.

    Args:
        start_epoch, end_epoch: the epochs between which it works.
    """

    def __init__(self, start_epoch: int = 0, end_epoch: int = 0):
        self.start_epoch, self.end_epoch = start_epoch, end_epoch

    def __getstate__(self) -> dict[str, Any]:
        # The epochs are of the settings, not of what has been found so far.
        return {name: value for name, value in self.__dict__.items() if name not in ("start_epoch", "end_epoch")}

    def on_compression_begin(self, context: Context) -> None:
        """Before the first epoch."""

    def on_epoch_begin(self, context: Context) -> None:
        """Before an epoch."""

    def on_epoch_end(self, context: Context) -> None:
        """After an epoch."""

    def on_batch_begin(self, context: Context) -> None:
        """Before a batch."""

    def on_batch_end(self, context: Context) -> None:
        """After a batch."""

    def on_compression_end(self, context: Context) -> None:
        """After the last epoch."""

    def restore_from_checkpoint(self, context: object) -> None:
        """After a training that was interrupted has been found, before its parameters are loaded."""
