"""paddle: the names that Fluid programs import. All of them lead to `refluid`."""

from refluid import compat_applied as _names_the_world_dropped

# data
from paddle import compat as compat, dataset as dataset, reader as reader
from paddle.batch import batch as batch

__version__ = "1.8.5"
