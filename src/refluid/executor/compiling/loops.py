"""C++ loops over operands: sizes and strides are numbers in the text, so the compiler unrolls and vectorises."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from refluid.executor.compiling.record import DTYPES, Operand, Unsupported

Text = Callable[..., str]


def broadcast(operand: Operand, shape: Sequence[int]) -> tuple[int, ...]:
    """The strides with which an operand is read at the indices of a shape."""
    missing = len(shape) - len(operand.shape)
    if missing < 0:
        raise Unsupported("more axes than the result")
    strides = [0] * missing
    for size, stride, whole in zip(operand.shape, operand.stride, shape[missing:], strict=True):
        if size not in (1, whole):
            raise Unsupported("sizes that do not match")
        strides.append(0 if size == 1 else stride)
    return tuple(strides)


def merged(shape: Sequence[int], strides: list[tuple[int, ...]]) -> tuple[list[int], list[list[int]]]:
    """The same loops with as few axes as possible."""
    sizes: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        here = [stride[axis] for stride in strides]
        if sizes and all(step[-1] == stride * size for step, stride in zip(steps, here, strict=True)):
            sizes[-1] *= size
            for step, stride in zip(steps, here, strict=True):
                step[-1] = stride
        else:
            sizes.append(size)
            for step, stride in zip(steps, here, strict=True):
                step.append(stride)
    return sizes, steps


def nest(shape: Sequence[int], strides: list[tuple[int, ...]], body: Text, prefix: str = "i") -> str:
    """Loops over a shape around `body`, which is called with the text of each operand's index."""
    if 0 in shape:
        return ""
    sizes, steps = merged(shape, strides)
    heads = [
        f"for (int64_t {prefix}{axis} = 0; {prefix}{axis} < {size}; ++{prefix}{axis}) "
        for axis, size in enumerate(sizes)
    ]
    return "".join(heads) + "{ " + body(*(_index(step, prefix) for step in steps)) + " }"


def _index(steps: list[int], prefix: str) -> str:
    terms = [f"{prefix}{axis}" + (f" * {step}" if step != 1 else "") for axis, step in enumerate(steps) if step]
    return " + ".join(terms) or "0"


def number(value: float, ctype: str) -> str:
    """A Python number as a literal of a C++ type."""
    if isinstance(value, bool) or ctype in ("int64_t", "int32_t", "bool"):
        if isinstance(value, float) and (not math.isfinite(value) or value != int(value)):
            raise Unsupported(f"{value} among integers")
        return f"({ctype}){int(value)}"
    value = float(value)
    if not math.isfinite(value):
        return f"({ctype}){'NAN' if value != value else 'INFINITY' if value > 0 else '-INFINITY'}"
    return f"({ctype}){value.hex()}"


class Memory:
    """The names of storages in the text."""

    def __init__(self, name: Callable[[int], str]):
        self.name = name

    def pointer(self, operand: Operand) -> str:
        """The address of an operand's first element."""
        ctype = DTYPES[operand.dtype]
        offset = f" + {operand.offset}" if operand.offset else ""
        return f"(({ctype}*){self.name(operand.storage)}{offset})"
