"""assert: a condition that is checked at run time (2.0-alpha)."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.registry import Tensor, op

BOOL = frozenset({torch.bool})


@op("", type="assert", nograd="*", side_effect=True, dtypes={"Cond": BOOL})
def assert_(Cond: Tensor, Data: list[Tensor] | None = None, *, summarize: int = -1) -> None:
    """Fail with `summarize` elements (-1: all) of everything in Data, unless Cond is true."""
    if Cond.numel() != 1:
        raise ShapeError(f"Cond must have one element, got {list(Cond.shape)}")
    if Cond.is_meta or bool(Cond):
        return
    shown = "; ".join(_text(one, summarize) for one in Data or [])
    raise ValueRangeError(f"the condition is false{': ' if shown else ''}{shown}")


def _text(value: Tensor, summarize: int) -> str:
    numbers = value.reshape(-1).tolist()
    first = numbers if summarize < 0 else numbers[:summarize]
    return f"{list(value.shape)} [{' '.join(f'{one:g}' for one in first)}{' ...' if len(first) < len(numbers) else ''}]"
