"""get_places: the devices of the machine, as a variable of a program."""

from __future__ import annotations

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.ir.program import default_main_program
from refluid.ir.variable import Variable


def get_places(device_count: int | None = None, device_type: str | None = None) -> Variable:
    """The places of the machine, found when the program runs.

    Args:
        device_count: how many; None for all.
        device_type: "CPU", "CUDA", or "AUTO" for CUDA where there is any; None for "AUTO".

    Returns:
        A variable of type PLACE_LIST.
    """
    block = default_main_program().current_block()
    out = block.create_var(
        name=unique_name.generate(f"{unique_name.generate('get_places')}.out"), type=VarType.PLACE_LIST
    )
    block.append_op(
        "get_places",
        {},
        {"Out": out},
        {
            "device_count": None if device_count is None else int(device_count),
            "device_type": None if device_type is None else str(device_type),
        },
    )
    return out
