"""paddle.tensor.manipulation: shapes, axes, parts."""

from refluid.alpha.tensor.manipulation import (
    flip as flip,
    reshape as reshape,
    squeeze as squeeze,
    stack as stack,
    unbind as unbind,
    unsqueeze as unsqueeze,
)
from refluid.layers.indexing import (
    gather as gather,
    gather_nd as gather_nd,
    scatter as scatter,
    scatter_nd as scatter_nd,
    scatter_nd_add as scatter_nd_add,
    slice as slice,
    strided_slice as strided_slice,
)
from refluid.layers.shape import (
    concat as concat,
    expand as expand,
    expand_as as expand_as,
    flatten as flatten,
    reverse as reverse,
    roll as roll,
    split as split,
    unstack as unstack,
)
from refluid.layers.tensor import (
    cast as cast,
    shard_index as shard_index,
    unique as unique,
    unique_with_counts as unique_with_counts,
)
