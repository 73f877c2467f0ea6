"""paddle.fluid.recordio_writer: writing RecordIO files."""

from refluid.saving.record_files import (
    convert_reader_to_recordio_file as convert_reader_to_recordio_file,
    convert_reader_to_recordio_files as convert_reader_to_recordio_files,
)
