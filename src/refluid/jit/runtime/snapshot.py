"""The values of names at a moment, with the contents of lists and dicts, so that they can be put back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.jit.runtime.arrays import TensorArray

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Snapshot:
    def __init__(self, values: tuple[Any, ...]):
        self.values = values
        self.kept = [_contents(value) for value in values]

    def restored(self) -> tuple[Any, ...]:
        """The same objects with the contents they had."""
        for value, kept in zip(self.values, self.kept, strict=True):
            _refill(value, kept)
        return self.values


def frozen(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values with containers copied: what a later change does not reach."""
    return tuple(_copy(value) for value in values)


def _contents(value: object) -> object:
    if isinstance(value, list | tuple):
        return [(one, _contents(one)) for one in value]
    if isinstance(value, dict):
        return {key: (one, _contents(one)) for key, one in value.items()}
    return value.length if isinstance(value, TensorArray) else set(value) if isinstance(value, set) else None


def _refill(value: Any, kept: Any) -> None:
    if isinstance(value, list):
        value[:] = [item for item, _ in kept]
    elif isinstance(value, dict):
        value.clear()
        value.update({key: item for key, (item, _) in kept.items()})
        kept = kept.values()
    elif isinstance(value, TensorArray):
        value.length = kept
    elif isinstance(value, set):
        value.clear()
        value.update(kept)
    if isinstance(value, list | tuple | dict):
        for item, inner in kept:
            _refill(item, inner)


def _copy(value: object) -> Structure:
    if isinstance(value, list):
        return [_copy(one) for one in value]
    if isinstance(value, tuple):
        parts = [_copy(one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        return {key: _copy(one) for key, one in value.items()}
    if isinstance(value, set):
        return set(value)
    return TensorArray(value.var, value.length, value.history) if isinstance(value, TensorArray) else value
