"""fluid.dygraph.parallel_helper: the context of a data parallel training, and parameters taken from rank 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from refluid.core.errors import EnforceNotMet
from refluid.distributed import ring as rings
from refluid.distributed.environment import ParallelEnv
from refluid.eager.parameter import ParamBase

_context: Any = None


def is_data_parallel_mode() -> bool:
    """Whether several processes train together and a context was set."""
    return _context is not None and ParallelEnv().nranks > 1


def set_parallel_ctx(nccl_parallel_context: object) -> None:
    """Set the context, once: an object whose `init()` connects to the other processes."""
    global _context
    if _context is not None:
        raise EnforceNotMet("_set_parallel_ctx: there is a context already")
    _context = nccl_parallel_context


def init_parallel_ctx() -> None:
    """Connect the context to the other processes."""
    if _context is None:
        raise EnforceNotMet("_init_parallel_ctx: call _set_parallel_ctx first")
    _context.init()


def broadcast_parameters(parameters: Iterable[Any]) -> None:
    """Take the values of trainable parameters from rank 0."""
    ring = rings.get(0)
    for param in parameters:
        if isinstance(param, ParamBase) and param.trainable:
            ring.broadcast(param._t, 0).wait()
