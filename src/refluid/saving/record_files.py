"""RecordIO files of tensors: writing what a reader gives, and reading it inside a program.

Beside the file formats, because a record is a list of tensors in Fluid's own form.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from refluid.core.errors import ArgumentError, DataFileError
from refluid.core.types import Dtype
from refluid.data.feeder import DataFeeder
from refluid.data.loading.py_reader import ProgramReader, Slot
from refluid.data.recordio import records
from refluid.data.recordio.records import Compressor, RecordWriter, read_records
from refluid.saving.tensor_file import RecordReader, write_tensor
from refluid.tensor.lod_tensor import LoDTensor

_COUNT = struct.Struct("<I")


def convert_reader_to_recordio_file(
    filename: str,
    reader_creator: Callable[[], Any],
    feeder: DataFeeder,
    compressor: Compressor = Compressor.Snappy,
    max_num_records: int = 1000,
    feed_order: Sequence[str] | None = None,
) -> int:
    """Write the batches of a reader, as a DataFeeder makes tensors of them, into a file.

    Args:
        filename: the file to write.
        reader_creator: a reader of batches.
        feeder: a DataFeeder.
        compressor: how chunks are compressed.
        max_num_records: the number of records per chunk.
        feed_order: the names in the order of a record; that of the feeder if None.

    Returns:
        The number of records written.
    """
    return _write(filename, reader_creator(), feeder, compressor, max_num_records, feed_order)


def convert_reader_to_recordio_files(
    filename: str,
    batch_per_file: int,
    reader_creator: Callable[[], Any],
    feeder: DataFeeder,
    compressor: Compressor = Compressor.Snappy,
    max_num_records: int = 1000,
    feed_order: Sequence[str] | None = None,
) -> list[int]:
    """Write the batches of a reader into files of `batch_per_file` records: name-00000.recordio, and so on.

    Args:
        filename: name.recordio.
        batch_per_file: the number of records per file.
        reader_creator: a reader of batches.
        feeder: a DataFeeder.
        compressor: how chunks are compressed.
        max_num_records: the number of records per chunk.
        feed_order: the names in the order of a record; that of the feeder if None.

    Returns:
        The number of records in each file.
    """
    if not filename.endswith(".recordio"):
        raise ArgumentError(f"convert_reader_to_recordio_files: filename must end in .recordio, got {filename!r}")
    from refluid.data.batch import batch

    stem = filename.removesuffix(".recordio")
    return [
        _write(f"{stem}-{number:05d}.recordio", group, feeder, compressor, max_num_records, feed_order)
        for number, group in enumerate(batch(reader_creator, batch_per_file)())
    ]


class RecordIOWriter:
    """Writes records of tensors one by one: `append_tensor` for every tensor, then `complete_append_tensor`."""

    Compressor = Compressor

    def __init__(self, filename: str, compressor: records.Compressor = Compressor.Snappy, max_num_record: int = 1000):
        self._file = open(filename, "wb")  # noqa: SIM115  # `close` closes it
        self._writer = RecordWriter(self._file, compressor, max_num_record)
        self._tensors: list[LoDTensor] = []

    def append_tensor(self, tensor: LoDTensor) -> None:
        """Add a tensor to the record that is being written."""
        self._tensors.append(tensor)

    def complete_append_tensor(self) -> None:
        """End the record."""
        record = io.BytesIO()
        record.write(_COUNT.pack(len(self._tensors)))
        for tensor in self._tensors:
            write_tensor(record, tensor)
        self._writer.write(record.getvalue())
        self._tensors = []

    def close(self) -> None:
        """Write what waits and close the file."""
        self._writer.close()
        self._file.close()

    def __enter__(self) -> RecordIOWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _write(
    path: str,
    batches: Iterable[Any],
    feeder: DataFeeder,
    compressor: Compressor,
    max_num_records: int,
    order: Sequence[str] | None,
) -> int:
    names = list(order or (var.name for var in feeder.feed_list))
    count = 0
    with RecordIOWriter(path, compressor, max_num_records) as writer:
        for batch in batches:
            fed = feeder.feed(batch)
            for name in names:
                writer.append_tensor(fed[name])
            writer.complete_append_tensor()
            count += 1
    return count


def read_tensors(path: str) -> Iterator[list[LoDTensor]]:
    """The records of a file as lists of tensors."""
    for record in read_records(path):
        if len(record) < _COUNT.size:
            raise DataFileError(f"recordio: a record of {path} has {len(record)} bytes, too few for tensors")
        reader = RecordReader(io.BytesIO(record[_COUNT.size :]), path)
        yield [reader.tensor(f"number {i}") for i in range(_COUNT.unpack_from(record)[0])]


def open_files(
    filenames: str | Sequence[str],
    shapes: Sequence[Sequence[int]],
    lod_levels: Sequence[int],
    dtypes: Sequence[Dtype],
    thread_num: int | None = None,
    buffer_size: int | None = None,
    pass_num: int = 1,
    is_test: bool | None = None,
) -> ProgramReader:
    """A reader of RecordIO files for `read_file`. It starts by itself; the end of the files is an EOFException.

    Args:
        filenames: a file or a list of files.
        shapes: the shape of every field of a record.
        lod_levels: the LoD level of every field.
        dtypes: the dtype of every field.
        thread_num: no effect; the files are read in their order, in one thread.
        buffer_size: the number of batches that may wait.
        pass_num: how often the files are read.
        is_test: no effect.

    Returns:
        A reader.
    """
    paths = [filenames] if isinstance(filenames, str) else list(filenames)

    def batches() -> Iterator[list[LoDTensor]]:
        for _ in range(pass_num):
            for path in paths:
                yield from read_tensors(path)

    slots = [
        Slot(f"field {i}", tuple(shape), dtype, level)
        for i, (shape, dtype, level) in enumerate(zip(shapes, dtypes, lod_levels, strict=True))
    ]
    reader = ProgramReader(buffer_size or 64, slots, by_itself=True)
    reader.decorate_tensor_provider(batches)
    return reader
