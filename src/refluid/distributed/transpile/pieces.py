"""Parameters split into pieces for servers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class VarBlock:
    """A piece of a variable: number `offset` of its pieces, with `size` elements."""

    varname: str
    offset: int
    size: int

    def __str__(self) -> str:
        return f"{self.varname}:{self.offset}:{self.size}"


def same_or_split_var(p_name: str, var_name: str) -> bool:
    """Whether p_name is the variable itself or a piece of it."""
    return p_name == var_name or p_name.startswith(f"{var_name}.block")


def slice_variable(var_list: Sequence[Any], slice_count: int, min_block_size: int) -> list[str]:
    """Split variables along the first axis into at most slice_count pieces of at least min_block_size elements.

    Returns:
        "name:number:elements" of every piece.
    """
    pieces = []
    for var in var_list:
        elements = math.prod(var.shape)
        count = max(1, min(slice_count, elements // min_block_size))
        width = math.prod(var.shape[1:]) if len(var.shape) >= 2 else 1
        size = -(-math.ceil(elements / count) // width) * width  # whole rows
        for number in range(math.ceil(elements / size)):
            pieces.append(str(VarBlock(var.name, number, min(size, elements - number * size))))
    return pieces
