"""What the layers for sequences share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.errors import ArgumentError
from refluid.layers.dropout import dropout

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.nn.layer import Layer


def dropped(x: BaseVariable, rate: float, training: bool) -> BaseVariable:
    """Dropout that changes nothing when testing."""
    return dropout(x, rate, is_test=not training, dropout_implementation="upscale_in_train") if rate else x


def check_sizes(layer: Layer, **sizes: object) -> None:
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise ArgumentError(f"{type(layer).__name__}: {name} must be an int of at least 1, got {size!r}")
