"""One LMDB file, opened so that neither a file cut short nor another program's file brings the process down."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lmdb

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.state.errors import StateDamaged
from refluid.distributed.server.state.sealed import opened, seal

_ADDRESS_SPACE = 1 << 44  # LMDB maps its file; disk is taken for what is written alone
_SEAL = b"~"  # before a key: the seal of its value, in the same transaction; in one value with it, it would cost a copy
_DAMAGE = (lmdb.CorruptedError, lmdb.InvalidError, lmdb.PageNotFoundError, lmdb.PanicError, lmdb.VersionMismatchError)


class Store:
    """Sealed values by key, in the order of the keys. A call that changes something is a transaction.

    With `sync` a change is on the disk when the call returns; without, it is the operating system's, which keeps it
    if this process is killed, and `flush` brings everything to the disk.
    """

    def __init__(self, folder: Path, sync: bool):
        self._folder = folder
        with self._told():
            self._env = lmdb.open(str(folder), map_size=_ADDRESS_SPACE, sync=sync, mode=0o600, metasync=sync)
            self._env.reader_check()
            self._lengthen()

    def get(self, key: bytes) -> bytes | None:
        with self._told(), self._env.begin(buffers=True) as view:
            value = view.get(key)
            return None if value is None else opened(value, view.get(_SEAL + key), self._named(key))

    def sizes(self, prefix: bytes) -> list[tuple[bytes, int]]:
        """The keys that begin with `prefix`, and how many bytes each has."""
        with self._told(), self._env.begin(buffers=True) as view:
            return [(key, len(value)) for key, value in _beginning_with(view.cursor(), prefix)]

    def values(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(key, data) of the keys that begin with `prefix`."""
        with self._told(), self._env.begin(buffers=True) as view:
            for key, value in _beginning_with(view.cursor(), prefix):
                yield key, opened(value, view.get(_SEAL + key), self._named(key))

    @contextmanager
    def put(self, key: bytes, data: bytes) -> Iterator[None]:
        """Keep a value; it is kept when the block ends."""
        with self._told(), self._env.begin(write=True) as change:
            change.put(key, data)
            change.put(_SEAL + key, seal(data))
            yield

    def delete(self, keys: list[bytes]) -> None:
        with self._told(), self._env.begin(write=True) as change:
            for key in keys:
                change.delete(key)
                change.delete(_SEAL + key)

    def flush(self) -> None:
        with self._told():
            self._env.sync(True)

    def close(self) -> None:
        self._env.close()

    def _named(self, key: bytes) -> str:
        return f"{self._folder}: the value of {key!r}"

    def _lengthen(self) -> None:
        """Make the file as long as LMDB takes it to be: reading the map behind its end would end the process."""
        pages = self._env.info()["last_pgno"] + 1
        path, needed = self._folder / "data.mdb", pages * self._env.stat()["psize"]
        if path.stat().st_size < needed:
            os.truncate(path, needed)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            raise StateDamaged(f"{self._folder} is damaged: {error}") from None
        except lmdb.Error as error:
            raise EnforceNotMet(f"{self._folder} cannot be used: {error}") from None


def _beginning_with(cursor: Any, prefix: bytes) -> Iterator[tuple[bytes, memoryview]]:
    if not cursor.set_range(prefix):
        return
    for key, value in cursor:
        if bytes(key[: len(prefix)]) != prefix:
            return
        yield bytes(key), value
