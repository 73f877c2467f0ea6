"""Memory that a trainer shares with the servers of its host, so that large messages bypass the socket.

A trainer writes a request into an area, an anonymous file, and sends a note with its location. The server, which
reaches the area through the trainer's process, reads the request there and writes its answer behind it if there is
room; if there is none the answer comes by the socket, and the trainer makes room for the next one. The tensors of an
answer lie in the area.

An area belongs to one request at a time, until the last tensor of the answer is gone. One whose request has failed is
given up, since the server may still write to it. A server has copies of what it keeps: when it has answered, the area
may get another request at any time.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import re
import secrets
import threading
import weakref
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Any

from refluid.distributed.server.wire import Message, decode, encode, joined, parts_of, size_of, write

NOTE = "shared"  # the kind of a message with the location of another one

_LEAST = 1 << 16  # bytes of a request and its answer that are worth an area
_MOST_AREAS = 16  # of a connection: with more answers in use than that, others come by the socket
_ALIGNED = 64
_NAME = re.compile(r"refluid-[0-9a-f]{32}")


class Unshared(Exception):
    """The memory that a note refers to cannot be used."""


class Area:
    """Memory that another process may open: room for a request, then room for its answer."""

    def __init__(self, request: int, answer: int):
        self.answer_at = -(-request // _ALIGNED) * _ALIGNED
        size = self.answer_at + answer
        self.name = f"refluid-{secrets.token_hex(16)}"
        self.fd = os.memfd_create(self.name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        weakref.finalize(self, os.close, self.fd)
        os.posix_fallocate(self.fd, 0, size)  # a lack of memory raises here, instead of a signal later
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        self.memory = memoryview(mmap.mmap(self.fd, size))
        self._lent: weakref.ref[memoryview] | None = None

    def fits(self, request: int, answer: int) -> bool:
        return request <= self.answer_at and answer <= len(self.memory) - self.answer_at

    def note(self, length: int) -> Message:
        """Where a request of this length is."""
        place = {"process": os.getpid(), "file": self.fd, "name": self.name}
        return Message(NOTE, {**place, "length": length, "answer_at": self.answer_at})

    def lend(self, length: int, free: deque[Area]) -> memoryview:
        """The answer; the area joins `free` when nothing refers to it any more."""
        view = self.memory[self.answer_at : self.answer_at + length]
        self._lent = weakref.ref(view, lambda _: free.append(self))
        return view


@dataclass
class Parcel:
    """A request as it is sent: itself, or a note of the area that it is in."""

    kind: str
    data: bytes
    area: Area | None = None


class Areas:
    """The areas of a connection to a server of this host. Threads may share it."""

    def __init__(self) -> None:
        self._free: defaultdict[str, deque[Area]] = defaultdict(deque)  # by kind of request: those have like sizes
        self._made: weakref.WeakSet[Area] = weakref.WeakSet()
        self._answers: dict[str, int] = {}  # kind of request -> bytes of its largest answer

    def packed(self, message: Message) -> Parcel:
        parts = parts_of(message)
        request, answer = size_of(parts), self._answers.get(message.kind, 0)
        area = self._area(message.kind, request, answer) if request + answer >= _LEAST else None
        if area is None:
            return Parcel(message.kind, joined(parts))
        write(parts, area.memory)
        return Parcel(message.kind, encode(area.note(request)), area)

    def opened(self, parcel: Parcel, data: bytes) -> Message:
        """The answer to a parcel."""
        answer, area, free = decode(data), parcel.area, self._free[parcel.kind]
        if area is None or answer.kind != NOTE:
            self._answers[parcel.kind] = max(len(data), self._answers.get(parcel.kind, 0))
            if area is not None:
                free.append(area)
            return answer
        return decode(area.lend(answer.fields["length"], free))

    def _area(self, kind: str, request: int, answer: int) -> Area | None:
        free = self._free[kind]
        while free:
            with contextlib.suppress(IndexError):  # another thread has taken it
                if (candidate := free.popleft()).fits(request, answer):
                    return candidate
        if len(self._made) >= _MOST_AREAS:
            return None
        try:
            area = Area(request + request // 4, answer + answer // 4)  # sizes of sparse gradients vary
        except OSError:
            return None
        self._made.add(area)
        return area


class OpenedAreas:
    """The areas of trainers, as a server has opened them."""

    def __init__(self, most_bytes: int):
        self._most_bytes = most_bytes
        self._memory: dict[tuple[str, str], memoryview] = {}  # by path and name
        self._lock = threading.Lock()

    def request(self, note: Message) -> tuple[Message, memoryview]:
        """The message that a note refers to, copied, and the memory for the answer."""
        try:
            process, file, length, answer_at = (
                _number(note, key) for key in ("process", "file", "length", "answer_at")
            )
            name = str(note.fields["name"])
        except (KeyError, ValueError):
            raise Unshared("a note of shared memory has wrong fields") from None
        memory = self._opened(f"/proc/{process}/fd/{file}", name)
        if length > min(answer_at, self._most_bytes) or answer_at > len(memory):
            raise Unshared(f"a note refers to {length} bytes, too many for its memory or for this server")
        return decode(memory[:length].toreadonly()), memory[answer_at:]

    def _opened(self, path: str, name: str) -> memoryview:
        with self._lock:
            view = self._memory.get((path, name))
            if view is None:
                self._memory = {known: memory for known, memory in self._memory.items() if _is_there(*known)}
                view = self._memory[path, name] = _open(path, name)
            return view


def answer_in(memory: memoryview, answer: Message) -> bytes:
    """What goes by the socket when `answer` has been written to `memory`: all of it, if that has too little room."""
    parts = parts_of(answer)
    if size_of(parts) > len(memory):
        return joined(parts)
    write(parts, memory)
    return encode(Message(NOTE, {"length": size_of(parts)}))


def _number(note: Message, key: str) -> int:
    found: Any = note.fields[key]
    if type(found) is not int or found < 0:
        raise ValueError(key)
    return found


def _is_there(path: str, name: str) -> bool:
    """Whether an area of this name is still open in its process."""
    try:
        return os.readlink(path) == f"/memfd:{name} (deleted)"
    except OSError:
        return False


def _open(path: str, name: str) -> memoryview:
    if not _NAME.fullmatch(name) or not _is_there(path, name):
        raise Unshared("the memory of a trainer cannot be reached from here")
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise Unshared(f"the memory of a trainer cannot be opened: {error.strerror}") from None
    try:
        if not fcntl.fcntl(fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_SHRINK:
            raise Unshared("the memory of a trainer may shrink")
        return memoryview(mmap.mmap(fd, os.fstat(fd).st_size))
    except (OSError, ValueError) as error:
        raise Unshared(f"the memory of a trainer cannot be used: {error}") from None
    finally:
        os.close(fd)
