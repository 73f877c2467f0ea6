"""What the functions of 2.0-alpha share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


def into(out: BaseVariable | None, slot: str = "Out") -> dict[str, Any] | None:
    """The variable that the caller wants a result in, as operators take it; None: a new one."""
    return None if out is None else {slot: out}


def need_weight(layer: str, param_attr: object) -> None:
    """Refuse False, which means "none", for a weight that a layer cannot do without."""
    if param_attr is False:
        raise ArgumentError(f"{layer}: param_attr must not be False; it has a weight")
