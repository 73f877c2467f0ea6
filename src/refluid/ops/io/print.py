"""print: prints a tensor at run time, and its gradient."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from refluid.core.dtypes import dtype_name
from refluid.core.errors import ArgumentError
from refluid.ops.registry import LoD, Tensor, op

PHASES = {"forward": (True, False), "backward": (False, True), "both": (True, True)}


class FirstN(int):
    """The attribute first_n of one operator; it counts how often the operator has printed.

    A kernel is a function of its arguments, and this is the argument that is the operator's own.
    """

    variable: str
    printed: Counter[str]

    def __new__(cls, first_n: int, variable: str = "") -> FirstN:
        self = super().__new__(cls, first_n)
        self.variable = variable
        self.printed = Counter()
        return self

    def again(self, what: str) -> bool:
        """Whether `what` (the tensor or its gradient) is to be printed once more; counts it."""
        self.printed[what] += 1
        return self < 0 or self.printed[what] <= self


# As C++ calls the types.
_CODES = {"float32": "f", "float64": "d", "int32": "i", "int64": "l", "bool": "b"}

# Programs that come from a file have plain numbers: operators with the same attributes count together.
_plain: dict[Any, FirstN] = {}


def _listed(values: Iterable[Any]) -> str:
    return "".join(f"{value}," for value in values)


def _show(
    value: Tensor, lod: LoD | None, gradient: bool, first_n: int, message: str, summarize: int, **what: bool
) -> None:
    if not isinstance(first_n, FirstN):
        first_n = _plain.setdefault((first_n, message, summarize, *what.items()), FirstN(first_n))
    if value.is_meta or not first_n.again("gradient" if gradient else "value"):
        return
    place = "CPUPlace" if value.is_cpu else f"CUDAPlace({value.get_device()})"
    lines = [f"{int(time.time())}\t{message}\tThe place is:{place}"]
    if what["print_tensor_name"]:
        name = first_n.variable or "tensor"
        lines.append(f"Tensor[{name}@GRAD]" if gradient else f"Tensor[{name}]")
    if what["print_tensor_shape"]:
        lines.append(f"\tshape: [{_listed(value.shape)}]")
    if what["print_tensor_type"]:
        lines.append(f"\tdtype: {_CODES.get(dtype_name(value.dtype), dtype_name(value.dtype))}")
    if what["print_tensor_lod"] and lod is not None:
        lines.append(f"\tLoD: [{''.join(f'[ {_listed(level)} ]' for level in lod.levels)}]")
    flat = value.detach().reshape(-1)
    shown = flat if summarize < 0 else flat[:summarize]
    numbers = shown.tolist()
    lines.append(f"\tdata: {_listed(f'{n:g}' if value.is_floating_point() else int(n) for n in numbers)}")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _phase(print_phase: str) -> tuple[bool, bool]:
    try:
        return PHASES[print_phase.lower()]
    except KeyError:
        raise ArgumentError(f"print_phase must be forward, backward or both, got {print_phase!r}") from None


@op("Out", type="print", side_effect=True, views="In")
def print_(
    In: Tensor,
    In_lod: LoD | None = None,
    *,
    first_n: int,
    message: str,
    summarize: int,
    print_tensor_name: bool,
    print_tensor_type: bool,
    print_tensor_shape: bool,
    print_tensor_lod: bool,
    print_phase: str = "BOTH",
    is_forward: bool = True,
) -> Tensor:
    """Out is In. Prints it the first first_n times (-1: always) and summarize elements of it (-1: all)."""
    if _phase(print_phase)[0]:
        _show(
            In, In_lod, False, first_n, message, summarize,
            print_tensor_name=print_tensor_name, print_tensor_type=print_tensor_type,
            print_tensor_shape=print_tensor_shape, print_tensor_lod=print_tensor_lod,
        )  # fmt: skip
    return In


@print_.grad(side_effect=True)
def print_grad(
    Out_grad: Tensor,
    *,
    first_n: int,
    message: str,
    summarize: int,
    print_tensor_name: bool,
    print_tensor_type: bool,
    print_tensor_shape: bool,
    print_tensor_lod: bool,
    print_phase: str,
) -> Tensor:
    if _phase(print_phase)[1] and not Out_grad.requires_grad:  # a replay for a gradient of the gradient is silent
        _show(
            Out_grad, None, True, first_n, message, summarize,
            print_tensor_name=print_tensor_name, print_tensor_type=print_tensor_type,
            print_tensor_shape=print_tensor_shape, print_tensor_lod=print_tensor_lod,
        )  # fmt: skip
    return Out_grad
