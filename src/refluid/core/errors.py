"""The errors of the engine. All are `EnforceNotMet`, so that what Fluid programs catch still catches them.

An error is a one-line summary and a table. A kernel raises the summary alone; the engine, which knows the operator,
the variables and where it was written, adds the rest with `within`. Every table has the user's line: the one that the
engine names, else the one that was running when the error was made.
"""

from __future__ import annotations

from refluid.core.callsite import raised_through, user_site
from refluid.core.tracebacks import shows_engine, without_engine

_LINES = frozenset({"built", "called", "source"})  # rows with the user's line


class EnforceNotMet(RuntimeError):
    """Base of everything the engine refuses."""

    def __init__(self, summary: str, details: list[tuple[str, str]] | None = None):
        super().__init__(summary)
        self.summary = summary
        self.details = details or []
        self.site = user_site()

    def within(self, op_type: str, details: list[tuple[str, str]]) -> EnforceNotMet:
        """The same error as a failure of operator `op_type`; the first caller wins."""
        if not self.details:
            if not self.summary.startswith(f"{op_type}: "):
                self.summary = f"{op_type}: {self.summary}"
            self.details = details
        return self

    def shortened(self) -> EnforceNotMet:
        """The same error without the engine's frames and reasons: the engine calls it where the user has called it."""
        if not shows_engine():
            self.__traceback__ = without_engine(self.__traceback__)
            self.__cause__ = None
        return self

    def rows(self) -> list[tuple[str, str]]:
        """The table, with the user's line at its end if none of its rows tells one."""
        if any(label in _LINES for label, _ in self.details):
            return self.details
        # A thread of the engine has no line of the user's; the error passes one where it is raised again.
        site = self.site or raised_through(self.__traceback__)
        return self.details if site is None else [*self.details, ("called", str(site))]

    def __str__(self) -> str:
        rows = self.rows()
        width = max((len(label) for label, _ in rows), default=0)
        return "\n".join([self.summary, *(f"  {label:<{width}}  {text}" for label, text in rows)])


class ShapeError(EnforceNotMet, ValueError):
    """Sizes, ranks or axes that do not fit."""


class DtypeError(EnforceNotMet, TypeError):
    """A data type that is unknown or not taken here."""


class ArgumentError(EnforceNotMet, TypeError, ValueError):
    """An attribute or argument that is unknown, of the wrong kind or out of range.

    Fluid raises TypeError for a wrong kind and ValueError for a wrong value; programs catch either.
    """


class ValueRangeError(EnforceNotMet, ValueError):
    """Data out of its range: a label beyond the classes, an index beyond the rows, a NaN."""


class DataFileError(EnforceNotMet, ValueError):
    """A file of data that is damaged, or holds something else than it should."""


class IndexRangeError(EnforceNotMet, IndexError):
    """An index beyond a size that is known; what ends Python's own loops over a sequence."""


class NotFoundError(EnforceNotMet, ValueError):
    """A name that does not exist: a variable, a feed, a fetch, an operator."""


class ModeError(EnforceNotMet, TypeError):
    """Something of the static mode used in the imperative one, or the other way round."""


class NotDefinedError(EnforceNotMet, NotImplementedError):
    """A method that a class of the user's has to define."""


class NotPossibleError(EnforceNotMet, NotImplementedError):
    """What this kind of object cannot do, though others of its family can."""


class EOFException(Exception):
    """A reader has come to the end of its epoch.

    Example:
        >>> reader = fluid.layers.py_reader(capacity=2, shapes=[[-1, 1]], dtypes=["float32"])
        >>> x = fluid.layers.read_file(reader)
        >>> reader.decorate_tensor_provider(lambda: iter([[np.ones((1, 1), "float32")]]))
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> reader.start()
        >>> _ = exe.run(fetch_list=[x])
        >>> try:
        ...     _ = exe.run(fetch_list=[x])
        ... except fluid.core.EOFException:
        ...     reader.reset()
    """
