"""Single elements and the memory of a tensor, by the names that programs of the C++ age call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from refluid.core import dtypes
from refluid.core.errors import DtypeError, ShapeError, ValueRangeError
from refluid.core.places import Place, device_of

if TYPE_CHECKING:
    from refluid.core.types import Dtype


class Elements:
    """Mixin of LoDTensor: `t` is the tensor, `dims` the shape that was asked for while there is none."""

    __slots__ = ("dims", "t")
    t: torch.Tensor | None
    dims: list[int]

    def shape(self) -> list[int]:
        raise NotImplementedError

    def value(self) -> torch.Tensor:
        raise NotImplementedError

    def _get_float_element(self, offset: int) -> float:
        return self._element(offset, torch.float32)[offset].item()

    def _set_float_element(self, offset: int, value: float) -> None:
        self._element(offset, torch.float32)[offset] = value

    def _get_double_element(self, offset: int) -> float:
        return self._element(offset, torch.float64)[offset].item()

    def _set_double_element(self, offset: int, value: float) -> None:
        self._element(offset, torch.float64)[offset] = value

    def _element(self, offset: int, dtype: torch.dtype) -> torch.Tensor:
        """All elements in a row, of a tensor that has this one and is of this dtype."""
        count = 0 if self.t is None else self.t.numel()
        if self.t is None or not 0 <= offset < count:
            raise ValueRangeError(f"a LoDTensor of {count} elements has no element {offset}")
        if self.t.dtype is not dtype:
            held, wanted = dtypes.TORCH_NAME[self.t.dtype], dtypes.TORCH_NAME[dtype]
            raise DtypeError(f"the LoDTensor holds {held}, but an element of {wanted} is asked for")
        if not self.t.is_contiguous():
            self.t = self.t.contiguous()
        return self.t.view(-1)

    def _set_dims(self, dims: Sequence[int]) -> None:
        """Give the elements another shape; what is left over at the end is no longer seen."""
        self.dims = list(dims)
        if self.t is None:
            return
        wanted = math.prod(self.dims)
        if wanted > self.t.numel():
            raise ShapeError(f"a LoDTensor of {self.t.numel()} elements cannot have the shape {self.dims}")
        self.t = self.t.reshape(-1)[:wanted].view(self.dims)

    def _alloc_float(self, place: Place) -> None:
        self._allocate(place, torch.float32)

    def _alloc_double(self, place: Place) -> None:
        self._allocate(place, torch.float64)

    def _alloc_int(self, place: Place) -> None:
        self._allocate(place, torch.int32)

    def _mutable_data(self, place: Place, dtype: Dtype) -> int:
        """Memory for elements of a dtype, in the tensor's shape; its address."""
        return self._allocate(place, dtypes.torch_dtype(dtype)).data_ptr()

    def _allocate(self, place: Place, dtype: torch.dtype) -> torch.Tensor:
        """Keep the memory where it serves, else make new; zeros in place of what Fluid leaves undefined."""
        device = device_of(place)
        if self.t is None or self.t.dtype is not dtype or self.t.device != device:
            self.t = torch.zeros(self.shape(), dtype=dtype, device=device)
        return self.t

    def _set_layout(self, layout: str) -> None:
        """Fluid notes the names of the axes beside a tensor, for its own kernel libraries; nothing here asks for it."""

    def _to_dlpack(self) -> Any:
        """The memory as a DLPack capsule, for other libraries."""
        from torch.utils.dlpack import to_dlpack

        return to_dlpack(self.value())
