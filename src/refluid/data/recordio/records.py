"""Writing and reading records.

A file is a list of chunks: magic number, number of records, CRC-32 of the payload, compressor, size of the payload
(five uint32, little endian), then the payload: every record after its size (uint32).
"""

from __future__ import annotations

import enum
import pickle
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from refluid.core.errors import DataFileError
from refluid.data.readers.threads import Consumer, buffered
from refluid.data.recordio import snappy

_MAGIC = 0x01020304
_HEAD = struct.Struct("<IIIII")
_LENGTH = struct.Struct("<I")


class Compressor(enum.IntEnum):
    """How the payload of a chunk is compressed."""

    NoCompress = 0
    Snappy = 1
    Gzip = 2


_PACK: dict[Compressor, Callable[[bytes], bytes]] = {
    Compressor.NoCompress: bytes, Compressor.Snappy: snappy.compress, Compressor.Gzip: zlib.compress,
}  # fmt: skip
_UNPACK: dict[Compressor, Callable[[bytes], bytes]] = {
    Compressor.NoCompress: bytes, Compressor.Snappy: snappy.decompress, Compressor.Gzip: zlib.decompress,
}  # fmt: skip


class RecordWriter:
    """Writes records into an open file, `max_num_records` a chunk. Use it in a `with`, or call `close`."""

    def __init__(self, file: IO[bytes], compressor: Compressor = Compressor.Snappy, max_num_records: int = 1000):
        self._file = file
        self._compressor = Compressor(compressor)
        self._most = max_num_records
        self._waiting: list[bytes] = []

    def write(self, record: bytes) -> None:
        self._waiting.append(record)
        if len(self._waiting) >= self._most:
            self.close()

    def close(self) -> None:
        """Write what waits. The file stays open."""
        if self._waiting:
            payload = b"".join(struct.pack("<I", len(record)) + record for record in self._waiting)
            packed = _PACK[self._compressor](payload)
            head = (_MAGIC, len(self._waiting), zlib.crc32(packed), self._compressor, len(packed))
            self._file.write(_HEAD.pack(*head) + packed)
            self._waiting = []

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read_records(path: str) -> Iterator[bytes]:
    """The records of a file, or an error that names it."""
    with open(path, "rb") as file:
        while head := file.read(_HEAD.size):
            if len(head) < _HEAD.size:
                raise DataFileError(f"recordio: {path} ends in the middle of a chunk")
            magic, count, checksum, compressor, size = _HEAD.unpack(head)
            if magic != _MAGIC:
                raise DataFileError(f"recordio: {path} is no RecordIO file: a chunk begins with {magic:#x}")
            packed = file.read(size)
            if len(packed) < size or zlib.crc32(packed) != checksum:
                raise DataFileError(f"recordio: a chunk of {path} is damaged")
            try:
                payload = _UNPACK[Compressor(compressor)](packed)
            except (ValueError, zlib.error) as error:
                raise DataFileError(f"recordio: a chunk of {path} cannot be unpacked ({error})") from None
            yield from _records_of(payload, count, path)


def _records_of(payload: bytes, count: int, path: str) -> Iterator[bytes]:
    """The records of a chunk, each behind its length."""
    offset = 0
    for _ in range(count):
        start = offset + _LENGTH.size
        end = start + _LENGTH.unpack_from(payload, offset)[0] if start <= len(payload) else start
        if end > len(payload):
            raise DataFileError(f"recordio: a chunk of {path} should have {count} records and ends inside one")
        yield payload[start:end]
        offset = end


def recordio(paths: str | list[str], buf_size: int = 100) -> Callable[[], Consumer]:
    """A reader of the samples that `convert` wrote into files; `buf_size` of them are read ahead."""
    names = paths.split(",") if isinstance(paths, str) else list(paths)

    def samples() -> Iterator[Any]:
        for name in names:
            yield from map(pickle.loads, read_records(name))

    return buffered(samples, buf_size)


def convert(output_path: str, reader: Callable[[], Any], line_count: int, name_prefix: str) -> None:
    """Write the samples of a reader, pickled, into RecordIO files of `line_count`: output_path/name_prefix-00000 ..."""
    from refluid.data.batch import batch

    for number, samples in enumerate(batch(reader, line_count)()):
        with open(f"{output_path}/{name_prefix}-{number:05d}", "wb") as file, RecordWriter(file) as writer:
            for sample in samples:
                writer.write(pickle.dumps(sample, protocol=2))
