"""What Python prints of an error that nobody has caught: the user's frames, and the error.

That holds for errors of ours, for those that the user's own code has raised when the engine called it (a reader, a
callback), and for those of Python that a call has met inside the engine: they end with the user's line. Importing
this module changes Python's own printing and that of notebooks. A hook that somebody else has put there (a debugger, a
logger) is called with the error as it is, and `REFLUID_TRACEBACK=1` shows every frame.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from refluid.core.callsite import ends_in_program, raised_through
from refluid.core.errors import EnforceNotMet, EOFException
from refluid.core.tracebacks import shows_engine, without_engine

OURS = (EnforceNotMet, EOFException)


def _install() -> None:
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _print
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _print_of_thread
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc(OURS, _print_in_notebook)


def _print(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    with short(error):
        sys.__excepthook__(kind, error, error.__traceback__ if _is_short(error) else trace)


def _print_of_thread(args: threading.ExceptHookArgs) -> None:
    with short(args.exc_value) as error:
        if error is not None and _is_short(error):
            args = threading.ExceptHookArgs((args.exc_type, error, error.__traceback__, args.thread))
        threading.__excepthook__(args)


def _print_in_notebook(
    shell: Any, kind: type, error: BaseException, trace: TracebackType | None, tb_offset: int | None = None
) -> None:
    with short(error):
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)


@contextlib.contextmanager
def short(error: BaseException | None) -> Iterator[BaseException | None]:
    """The error without the engine's frames and causes, put back afterwards: debuggers look at it later."""
    if error is None or not _is_short(error) or shows_engine():
        yield error
        return
    before = [(one, one.__traceback__, one.__cause__, one.__suppress_context__) for one in _chain(error)]
    noted: Any = error  # Python 3.10 has no notes
    notes = getattr(error, "__notes__", None)
    if not isinstance(error, OURS) and not ends_in_program(error.__traceback__):
        noted.__notes__ = [*(notes or []), _inside(error)]
    told = [error, *(one for one, *_ in before[1:] if _is_shown(one))]
    try:
        for link, reason in zip(told, [*told[1:], None], strict=True):
            link.__traceback__ = without_engine(link.__traceback__) or link.__traceback__
            if _reason(link) is not reason:
                link.__cause__ = reason
        yield error
    finally:
        if notes is not None:
            noted.__notes__ = notes
        elif hasattr(error, "__notes__"):
            del noted.__notes__
        for link, trace, cause, suppressed in before:
            link.__traceback__, link.__cause__ = trace, cause
            link.__suppress_context__ = suppressed  # setting the cause has changed it


def _is_short(error: BaseException) -> bool:
    """Whether the engine's frames are left out: of errors of ours, and of all that the user's program has met."""
    return isinstance(error, OURS) or (isinstance(error, Exception) and raised_through(error.__traceback__) is not None)


def _inside(error: BaseException) -> str:
    """What is told below an error of Python that a call has met inside the engine."""
    return f"  called  {raised_through(error.__traceback__)}\n  (met inside refluid; REFLUID_TRACEBACK=1 shows where)"


def _is_shown(reason: BaseException) -> bool:
    """Whether an exception behind an error comes out of the user's program or another process, not the engine."""
    return reason.__traceback__ is None or raised_through(reason.__traceback__) is not None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what is behind it, the last first."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = _reason(link)


def _reason(error: BaseException) -> BaseException | None:
    """What Python prints above an error."""
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


_install()
