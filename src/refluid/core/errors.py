"""The errors of the engine. All are `EnforceNotMet`, so that what Fluid programs catch still catches them.

An error is a one-line summary and a table. A kernel raises the summary alone; the engine, which knows the operator,
the variables and the user's line, adds the rest with `within`.
"""

from __future__ import annotations


class EnforceNotMet(RuntimeError):
    """Base of everything the engine refuses."""

    def __init__(self, summary: str, details: list[tuple[str, str]] | None = None):
        super().__init__(summary)
        self.summary = summary
        self.details = details or []

    def within(self, op_type: str, details: list[tuple[str, str]]) -> EnforceNotMet:
        """The same error, told as a failure of operator `op_type`; the first teller wins."""
        if not self.details:
            if not self.summary.startswith(f"{op_type}: "):
                self.summary = f"{op_type}: {self.summary}"
            self.details = details
        return self

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.details), default=0)
        return "\n".join([self.summary, *(f"  {label:<{width}}  {text}" for label, text in self.details)])


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


class IndexRangeError(EnforceNotMet, IndexError):
    """An index beyond a size that is known; what ends Python's own loops over a sequence."""


class NotFoundError(EnforceNotMet, ValueError):
    """A name that does not exist: a variable, a feed, a fetch, an operator."""


class ModeError(EnforceNotMet, TypeError):
    """Something of the static mode used in the imperative one, or the other way round."""


class EOFException(Exception):
    """A reader has come to the end of its epoch."""
