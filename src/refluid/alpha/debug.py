"""Print, as 2.0-alpha spells it."""

from __future__ import annotations

from typing import Any

from refluid.layers.debug import Print as print_layer


def Print(
    input: Any,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_layout: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
) -> Any:
    """Print a variable every time it is computed, and its gradient; the arguments are those of layers.Print.

    Args:
        print_tensor_layout: there is one layout, NCHW, so that nothing is said of it.
    """
    return print_layer(
        input, first_n, message, summarize, print_tensor_name, print_tensor_type, print_tensor_shape, print_tensor_lod,
        print_phase,
    )  # fmt: skip
