"""paddle.reader: decorators of readers."""

from paddle.reader import creator as creator, decorator as decorator
from paddle.reader.decorator import (
    ComposeNotAligned as ComposeNotAligned,
    Fake as Fake,
    PipeReader as PipeReader,
    buffered as buffered,
    cache as cache,
    chain as chain,
    compose as compose,
    firstn as firstn,
    map_readers as map_readers,
    multiprocess_reader as multiprocess_reader,
    shuffle as shuffle,
    xmap_readers as xmap_readers,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
