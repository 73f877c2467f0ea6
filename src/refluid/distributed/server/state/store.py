"""One LMDB file, opened so that a full disk, a truncated file or a foreign file does not kill the process."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lmdb

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.state.errors import StateDamaged
from refluid.distributed.server.state.sealed import Seal, opened, sizes
from refluid.distributed.server.wire import Part, joined

_MAP = 1 << 30  # initial bytes of the map: the length of the file, which is sparse
_ROOM = 16 << 20  # bytes of blocks that are allocated at once; pages of the tree and of free lists need some, too
_SMALL, _LARGE = 64 << 10, 512 << 10  # bytes: smaller parts are joined, larger ones split
_SEAL = b"~"  # before a key: the seal of its value
_PART = struct.Struct(">I")  # behind a key: the number of the part
_DAMAGE = (lmdb.CorruptedError, lmdb.InvalidError, lmdb.PageNotFoundError, lmdb.PanicError, lmdb.VersionMismatchError)


class Store:
    """Sealed values by key, in the order of the keys. A call that changes something is a transaction.

    With `sync` a change is on the disk when the call returns; without, it is the operating system's, which keeps it
    if this process is killed.

    LMDB writes into its map (`writemap`), which is the operating system's memory of the file: one copy and no call. A
    page is cheap from the second time on, so the map is large from the beginning, since pages of a new map are new. A
    page that the disk has no room for would kill the process: blocks are allocated before they are written to.
    """

    def __init__(self, folder: Path, sync: bool):
        self._folder, self._file = folder, folder / "data.mdb"
        with self._told():
            self._env = lmdb.open(str(folder), _MAP, sync=sync, metasync=sync, writemap=True, mode=0o600)
            self._env.reader_check()
            self._page, self._room = self._env.stat()["psize"], 0

    def get(self, key: bytes) -> bytes | None:
        with self._told(), self._env.begin(buffers=True) as view:
            sealed = view.get(_SEAL + key)
            return None if sealed is None else self._opened(view, key, sealed)

    def sizes(self, prefix: bytes) -> list[tuple[bytes, int]]:
        """The keys that begin with `prefix`, and how many bytes each has."""
        with self._told(), self._env.begin(buffers=True) as view:
            return [(key, sum(sizes(sealed, self._named(key)))) for key, sealed in _seals(view, prefix)]

    def values(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(key, data) of the keys that begin with `prefix`."""
        with self._told(), self._env.begin(buffers=True) as view:
            for key, sealed in _seals(view, prefix):
                yield key, self._opened(view, key, sealed)

    def put(self, key: bytes, parts: Sequence[Part], last: Callable[[], None] = lambda: None) -> None:
        """Store a value, passed in parts; it is stored when this returns. `last` is called before that."""
        kept = list(_of_good_size(parts))

        def change(transaction: Any) -> None:
            sealed = Seal()
            for number, part in enumerate(kept):
                sealed.add(part)  # which brings it into the processor's cache
                transaction.put(key + _PART.pack(number), part)
            transaction.put(_SEAL + key, bytes(sealed))
            last()

        self._change(change, sum(map(len, kept)))

    def delete(self, keys: list[bytes]) -> None:
        def change(made: Any) -> None:
            for key in keys:
                for number in range(len(sizes(made.get(_SEAL + key), self._named(key)))):
                    made.delete(key + _PART.pack(number))
                made.delete(_SEAL + key)

        self._change(change, 0)

    def close(self) -> None:
        self._env.close()

    def _change(self, change: Callable[[Any], None], size: int) -> None:
        """A transaction that writes `size` bytes; retried with a larger map if it is too small."""
        with self._told():
            while True:
                self._take_room(size)
                try:
                    with self._env.begin(write=True) as transaction:
                        return change(transaction)
                except lmdb.MapFullError:
                    self._env.set_mapsize(2 * self._env.info()["map_size"])

    def _take_room(self, size: int) -> None:
        """Allocate disk blocks for what a transaction may write behind the last page."""
        used = (self._env.info()["last_pgno"] + 1) * self._page
        if used + size + size // 8 + _ROOM // 4 <= self._room:
            return
        room = used + size + size // 8 + _ROOM
        file = os.open(self._file, os.O_RDWR)
        try:
            os.posix_fallocate(file, 0, room)
        except OSError as error:
            raise EnforceNotMet(f"{self._folder} needs {room} bytes on its disk: {error.strerror}") from None
        finally:
            os.close(file)
        self._room = room

    def _opened(self, view: Any, key: bytes, sealed: memoryview) -> bytes:
        what = self._named(key)
        return opened([view.get(key + _PART.pack(i)) for i in range(len(sizes(sealed, what)))], sealed, what)

    def _named(self, key: bytes) -> str:
        return f"{self._folder}: the value of {key!r}"

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            raise StateDamaged(f"{self._folder} is damaged: {error}") from None
        except lmdb.Error as error:
            raise EnforceNotMet(f"{self._folder} cannot be used: {error}") from None


def _seals(view: Any, prefix: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """The keys that begin with `prefix`, and the seals of their values."""
    cursor = view.cursor()
    if not cursor.set_range(_SEAL + prefix):
        return
    for key, sealed in cursor:
        if bytes(key[: 1 + len(prefix)]) != _SEAL + prefix:
            return
        yield bytes(key[1:]), sealed


def _of_good_size(parts: Sequence[Part]) -> Iterator[Part]:
    """The same bytes, small parts joined, since a value of LMDB costs more than the copy, and large parts split."""
    small: list[Part] = []
    for part in parts:
        if len(part) < _SMALL:
            small.append(part)
            continue
        if small:
            yield joined(small)
            small = []
        yield from (part[start : start + _LARGE] for start in range(0, len(part), _LARGE))
    if small:
        yield joined(small)
