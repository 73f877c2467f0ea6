"""The trainer through which a process fetches what it saves from servers."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from refluid.core.errors import EnforceNotMet
from refluid.distributed.store import split_endpoint

if TYPE_CHECKING:
    from refluid.distributed.server.trainer import Trainer


@contextlib.contextmanager
def visiting(what: str, number: int, endpoints: Sequence[str]) -> Iterator[Trainer]:
    """The trainer of this process; if it has none (any more), one that joins for as long as this takes.

    gRPC is imported here, not by `import paddle`.
    """
    from refluid.distributed.server.trainer import joined, leave, trainer_of

    trainer = joined(endpoints)
    if trainer is not None:
        yield trainer
        return
    for endpoint in endpoints:  # a visitor does not wait for servers to be started
        _check_there(what, endpoint)
    trainer = trainer_of(number, tuple(sorted(endpoints)))
    try:
        yield trainer
    finally:
        leave(trainer)


def _check_there(what: str, endpoint: str) -> None:
    try:
        socket.create_connection(split_endpoint(endpoint), timeout=5).close()
    except OSError as error:
        raise EnforceNotMet(
            f"{what}: the server at {endpoint} is not there ({error}); servers end when all trainers have left, so "
            "save before Executor.close()"
        ) from None
