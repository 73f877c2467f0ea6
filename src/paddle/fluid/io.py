"""paddle.fluid.io: saving, loading and reading."""

from refluid.data.batch import batch as batch
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
from refluid.data.readers.threads import buffered as buffered, xmap_readers as xmap_readers
