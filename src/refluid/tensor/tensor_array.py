"""LoDTensorArray: a list of LoDTensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

from refluid.core.errors import DtypeError
from refluid.tensor.lod_tensor import LoDTensor


class LoDTensorArray(list):
    """A list of LoDTensors, and of nothing else.

    Args:
        tensors: the LoDTensors.
    """

    def __init__(self, tensors: Iterable[LoDTensor] = ()):
        super().__init__(map(_checked, tensors))

    def append(self, tensor: LoDTensor) -> None:
        super().append(_checked(tensor))

    def extend(self, tensors: Iterable[LoDTensor]) -> None:
        super().extend(map(_checked, tensors))

    def insert(self, position: SupportsIndex, tensor: LoDTensor) -> None:
        super().insert(position, _checked(tensor))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, [_checked(v) for v in value] if isinstance(key, slice) else _checked(value))

    def _move_to_list(self) -> list[LoDTensor]:
        """The tensors as a plain list; the array is empty afterwards."""
        tensors = list(self)
        self.clear()
        return tensors


def _checked(tensor: object) -> LoDTensor:
    if not isinstance(tensor, LoDTensor):
        raise DtypeError(f"a LoDTensorArray holds LoDTensors, got {type(tensor).__name__}")
    return tensor
