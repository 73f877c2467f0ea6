"""Readers of arrays, text files and the output of programs (paddle.reader.creator and PipeReader of 1.4 and 1.5)."""

import codecs
import subprocess
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.data.readers.combine import Reader


def np_array(x: object) -> Reader:
    """A reader of the rows of an array; of the elements if it has one axis, of the value itself if it has none."""
    array = np.array(x)

    def rows() -> Iterator[Any]:
        return iter(array if array.ndim else [array])

    return rows


def text_file(path: str) -> Reader:
    """A reader of the lines of a text file, without their line breaks."""

    def lines() -> Iterator[str]:
        with open(path, encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\n")

    return lines


class Fake:
    """A decorator that reads one sample and serves it again and again: the speed of a program without its reading."""

    def __init__(self) -> None:
        self.data: Any = None
        self.yield_num = 0

    def __call__(self, reader: Reader, max_num: int) -> Reader:
        def fake() -> Iterator[Any]:
            if self.data is None:
                self.data = next(iter(reader()))
            while self.yield_num < max_num:
                yield self.data
                self.yield_num += 1
            self.yield_num = 0

        return fake


class PipeReader:
    """Reads the output of a command, as text or decompressed from gzip.

    Args:
        command: the command and its arguments, separated by spaces; no shell is started.
        bufsize: the number of bytes to read at a time.
        file_type: "plain" or "gzip".

    Example:
        >>> list(PipeReader("echo hello").get_line())
        ['hello']
    """

    def __init__(self, command: str, bufsize: int = 8192, file_type: str = "plain") -> None:
        if not isinstance(command, str):
            raise ArgumentError(f"PipeReader: command must be a string, got {type(command).__name__}")
        if file_type not in ("plain", "gzip"):
            raise ArgumentError(f"PipeReader: file_type must be 'plain' or 'gzip', got {file_type!r}")
        self.command = command
        self.file_type = file_type
        self.bufsize = bufsize

    def get_line(self, cut_lines: bool = True, line_break: str = "\n") -> Iterator[str]:
        """Lines without their breaks; with cut_lines=False pieces of text as they arrive."""
        if not cut_lines:
            yield from codecs.iterdecode(self._pieces(), "utf-8")
            return
        rest, separator = b"", line_break.encode("utf-8")
        for piece in self._pieces():
            *lines, rest = (rest + piece).split(separator)
            yield from (line.decode("utf-8") for line in lines)
        if rest:
            yield rest.decode("utf-8")

    def _pieces(self) -> Iterator[bytes]:
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 16) if self.file_type == "gzip" else None
        with subprocess.Popen(self.command.split(" "), stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            try:
                while piece := process.stdout.read(self.bufsize):
                    yield unpack.decompress(piece) if unpack else piece
            except GeneratorExit:
                process.kill()
                raise
        if process.returncode:
            raise RuntimeError(f"PipeReader: {self.command!r} ended with exit code {process.returncode}")
