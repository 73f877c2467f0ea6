"""What the layers of 1.4 and 1.5 have in common: a name scope as their first argument. See Note [Generations]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.generations import begins_with_str

if TYPE_CHECKING:
    from refluid.nn.layer import Layer

name_scope_first = begins_with_str("name_scope")


def in_scope(name_scope: str, layer: Layer) -> str:
    """What a layer of 1.5 is named after: its scope and class."""
    return f"{name_scope}/{type(layer).__name__}"
