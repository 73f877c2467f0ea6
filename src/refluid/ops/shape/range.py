"""range, linspace: evenly spaced numbers."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import INDICES, NUMBERS, Tensor, op


def check_one_element(**numbers: Tensor) -> None:
    for name, value in numbers.items():
        if value.numel() != 1:
            raise ShapeError(f"{name} must have one element, got {list(value.shape)}")


@op("Out", nograd="*", lod=None, dtypes={"Start": NUMBERS, "End": NUMBERS, "Step": NUMBERS})
def range(Start: Tensor, End: Tensor, Step: Tensor) -> Tensor:
    """Out = Start, Start + Step, ... up to End, exclusive."""
    check_one_element(Start=Start, End=End, Step=Step)
    start, end, step = Start.item(), End.item(), Step.item()
    if step == 0 or (end - start) * step < 0:
        raise ArgumentError(f"Step must lead from Start to End, got Start={start}, End={end}, Step={step}")
    return torch.arange(start, end, step, dtype=Start.dtype, device=Start.device)


@range.infer
def _range_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [((-1,), inputs[0].dtype)]


# fluid.layers.linspace writes a dtype into programs that 1.8.5's operator does not know; it is that of Start.
@op(
    "Out",
    nograd="*",
    lod=None,
    dtypes={"Start": NUMBERS, "Stop": NUMBERS, "Num": INDICES},
    extra_attrs={"dtype": "INT"},
)
def linspace(Start: Tensor, Stop: Tensor, Num: Tensor) -> Tensor:
    """Out are Num evenly spaced numbers, from Start to Stop."""
    check_one_element(Start=Start, Stop=Stop, Num=Num)
    num = int(Num)
    if num < 1:
        raise ArgumentError(f"Num must be at least 1, got {num}")
    return torch.linspace(Start.item(), Stop.item(), num, dtype=Start.dtype, device=Start.device)


@linspace.infer
def _linspace_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [((-1,), inputs[0].dtype)]
