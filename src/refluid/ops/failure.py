"""A failure of a kernel in the engine's own words; both modes use it."""

from __future__ import annotations

from refluid.core.errors import EnforceNotMet, ShapeError, ValueRangeError

_MEMORY = "the result does not fit into memory"


def refusal(error: Exception) -> EnforceNotMet | None:
    """The refusal that an exception of a kernel stands for; None if it is no refusal of a kernel."""
    if isinstance(error, EnforceNotMet):
        return error
    if isinstance(error, IndexError):
        told: EnforceNotMet = ValueRangeError("an index is out of range")
    elif isinstance(error, RuntimeError) and "memory" in str(error) and "alloc" in str(error):
        told = EnforceNotMet(_MEMORY)
    elif isinstance(error, RuntimeError | TypeError | NotImplementedError) and _from_torch(error):
        told = ShapeError("the shapes or dtypes of the inputs do not fit together")
    else:
        return None
    told.__cause__ = error
    told.__suppress_context__ = True
    return told


def _from_torch(error: Exception) -> bool:
    """Whether a kernel of ours or torch itself raised it, rather than Python code that a kernel called back."""
    trace = error.__traceback__
    last = None
    while trace is not None:
        last, trace = trace, trace.tb_next
    if last is None:
        return True
    filename = last.tb_frame.f_code.co_filename
    return "refluid" in filename or "torch" in filename or filename.startswith("<plan")
