"""paddle.reader.decorator: a reader made of other readers."""

from refluid.data.readers.combine import (
    ComposeNotAligned as ComposeNotAligned,
    cache as cache,
    chain as chain,
    compose as compose,
    firstn as firstn,
    map_readers as map_readers,
    shuffle as shuffle,
)
from refluid.data.readers.processes import multiprocess_reader as multiprocess_reader
from refluid.data.readers.sources import Fake as Fake, PipeReader as PipeReader
from refluid.data.readers.threads import buffered as buffered, xmap_readers as xmap_readers

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
