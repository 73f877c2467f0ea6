"""paddle.reader.creator: readers of arrays and files."""

from refluid.data.recordio.records import recordio as recordio
from refluid.data.readers.sources import np_array as np_array, text_file as text_file
