"""paddle: the names that Fluid programs import. All of them lead to `refluid`."""

__version__ = "1.8.5"
