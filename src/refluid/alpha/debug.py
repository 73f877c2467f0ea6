"""Print, as 2.0-alpha spells it."""

from __future__ import annotations

from refluid.ir.base_variable import BaseVariable
from refluid.layers.debug import Print as print_layer


def Print(
    input: BaseVariable,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_layout: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
) -> BaseVariable:
    """Print a variable every time it is computed, and its gradient.

    Args:
        input: a variable of any dtype and shape.
        first_n: print only the first so many times; -1 for always.
        message: text before the values.
        summarize: the number of printed elements; -1 for all.
        print_tensor_name: print its name.
        print_tensor_type: print its dtype.
        print_tensor_shape: print its shape.
        print_tensor_layout: no effect; there is one layout, NCHW.
        print_tensor_lod: print its LoD.
        print_phase: "forward" (the value), "backward" (the gradient) or "both".

    Returns:
        A variable with the values of input.
    """
    return print_layer(
        input, first_n, message, summarize, print_tensor_name, print_tensor_type, print_tensor_shape, print_tensor_lod,
        print_phase,
    )  # fmt: skip
