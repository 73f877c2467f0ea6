"""Wire: messages between a process and the one that forked it; large arrays travel in shared memory.

The memory of a message is an anonymous file whose descriptor goes through the socket. It has no name, so nothing is
left behind however a process ends: the kernel frees it with the last array that uses it.
"""

from __future__ import annotations

import mmap
import os
import pickle
import select
import socket
import struct
from typing import Any

_HEAD = struct.Struct("<QQ")  # bytes of the pickle, number of buffers
_SMALL = 1 << 15  # below this, a copy through the socket is cheaper than a file
_ALIGN = 64


class Closed(Exception):
    """The other side is gone."""


class Wire:
    """One end of a connection. `shared=False` sends arrays through the socket, whatever their size."""

    def __init__(self, end: socket.socket, shared: bool) -> None:
        self._socket = end
        self._shared = shared and hasattr(os, "memfd_create")

    @staticmethod
    def pair(shared: bool = True) -> tuple[Wire, Wire]:
        here, there = socket.socketpair()
        return Wire(here, shared), Wire(there, shared)

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def send(self, message: object) -> None:
        buffers: list[pickle.PickleBuffer] = []
        body = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
        views = [buffer.raw() for buffer in buffers]
        sizes = struct.pack(f"<{len(views)}Q", *(view.nbytes for view in views))
        head = _HEAD.pack(len(body), len(views))
        in_file = self._shared and sum(view.nbytes for view in views) > _SMALL
        try:
            if in_file:
                file = _filled(views)
                try:
                    socket.send_fds(self._socket, [head], [file])
                finally:
                    os.close(file)
                self._socket.sendall(sizes + body)
            else:
                self._socket.sendall(b"".join([head, sizes, body, *views]))
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Closed from error

    def ready(self, seconds: float | None) -> bool:
        """Whether there is something to receive within so many seconds (None: wait for it)."""
        return bool(select.select([self._socket], [], [], seconds)[0])

    def receive(self) -> Any:
        """The next message; Closed if the other side is gone."""
        try:
            head, files, _, _ = socket.recv_fds(self._socket, _HEAD.size, 1, socket.MSG_WAITALL)
        except ConnectionResetError as error:
            raise Closed from error
        if len(head) < _HEAD.size:
            raise Closed
        length, count = _HEAD.unpack(head)
        rest = self._exactly(8 * count + length)
        sizes = struct.unpack_from(f"<{count}Q", rest)
        body = rest[8 * count :]
        if not files:
            return pickle.loads(body, buffers=[self._exactly(size) for size in sizes])
        try:
            memory = memoryview(mmap.mmap(files[0], _end(sizes)))
        finally:
            os.close(files[0])
        return pickle.loads(body, buffers=[memory[at : at + size] for at, size in _places(sizes)])

    def _exactly(self, size: int) -> memoryview:
        data = bytearray(size)
        view = memoryview(data)
        while len(view):
            try:
                got = self._socket.recv_into(view)
            except ConnectionResetError as error:
                raise Closed from error
            if not got:
                raise Closed
            view = view[got:]
        return memoryview(data)


def _places(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    places, at = [], 0
    for size in sizes:
        places.append((at, size))
        at += -(-size // _ALIGN) * _ALIGN
    return places


def _end(sizes: tuple[int, ...]) -> int:
    return sum(-(-size // _ALIGN) * _ALIGN for size in sizes)


def _filled(views: list[memoryview]) -> int:
    """The descriptor of an anonymous file with the buffers in it."""
    sizes = tuple(view.nbytes for view in views)
    file = os.memfd_create("refluid-batch", os.MFD_CLOEXEC)
    try:
        os.ftruncate(file, _end(sizes))
        for (offset, _), view in zip(_places(sizes), views, strict=True):
            while view:
                written = os.pwrite(file, view, offset)
                offset, view = offset + written, view[written:]
    except BaseException:
        os.close(file)
        raise
    return file
