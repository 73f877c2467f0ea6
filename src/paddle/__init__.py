"""paddle: the names that Fluid programs import. All of them lead to `refluid`."""

from refluid import compat_applied as _names_the_world_dropped

__version__ = "1.8.5"
