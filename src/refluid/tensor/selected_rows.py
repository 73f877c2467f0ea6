"""SelectedRows: some rows of a tall tensor, the form of a sparse gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from refluid.core.errors import ArgumentError, NotFoundError, ShapeError, ValueRangeError
from refluid.tensor.lod_tensor import LoDTensor


class SelectedRows:
    """Row `index[i]` of a tensor of `n_rows` rows is `value[i]`; a row that is listed twice is the sum of both."""

    __slots__ = ("__weakref__", "_tensor", "index", "n_rows")

    def __init__(self, rows: Sequence[int] | None = None, height: int = 0):
        self.index = torch.tensor([] if rows is None else rows, dtype=torch.int64)
        self.n_rows = height
        self._tensor = LoDTensor()

    @classmethod
    def of(cls, index: torch.Tensor, value: torch.Tensor, height: int) -> SelectedRows:
        """The engine's own way in: int64 `index` [n], `value` [n, ...]; no copy, no check."""
        self = cls.__new__(cls)
        self.index = index
        self.n_rows = height
        self._tensor = LoDTensor.of(value)
        return self

    @property
    def value(self) -> torch.Tensor:
        if self._tensor.t is None:
            raise NotFoundError("this SelectedRows holds no values yet: call get_tensor().set(array, place)")
        return self._tensor.t

    @value.setter
    def value(self, value: torch.Tensor) -> None:
        self._tensor.t = value

    @property
    def dtype(self) -> torch.dtype:
        return self.value.dtype

    @property
    def shape(self) -> torch.Size:
        """The shape of the whole tensor."""
        return torch.Size((self.n_rows, *self.value.shape[1:]))

    def is_floating_point(self) -> bool:
        return self.value.is_floating_point()

    # what programs call

    def rows(self) -> list[int]:
        return self.index.tolist()

    def set_rows(self, rows: Sequence[int]) -> None:
        self.index = torch.tensor(rows, dtype=torch.int64)

    def height(self) -> int:
        return self.n_rows

    def set_height(self, height: int) -> None:
        self.n_rows = height

    def get_tensor(self) -> LoDTensor:
        """The values; setting this tensor sets them."""
        return self._tensor

    def numel(self) -> int:
        return 0 if self._tensor.t is None else self._tensor.t.numel()

    def sync_index(self) -> None:
        """Fluid keeps a look-up table beside the rows and this brings it up to date; there is none here."""

    def __repr__(self) -> str:
        return f"SelectedRows(rows={self.rows()}, height={self.n_rows}, value of shape {self._tensor.shape()})"


def merged(sr: SelectedRows) -> SelectedRows:
    """The same rows, each once and in ascending order."""
    index, position = torch.unique(sr.index, return_inverse=True)
    value = sr.value.new_zeros((index.numel(), *sr.value.shape[1:]))
    return SelectedRows.of(index, value.index_add_(0, position, sr.value), sr.n_rows)


def to_dense(sr: SelectedRows) -> torch.Tensor:
    """The whole tensor, zeros where no row was selected."""
    value = sr.value
    if value.shape[0] != sr.index.numel():
        raise ShapeError(f"SelectedRows has {sr.index.numel()} rows, but values of shape {list(value.shape)}")
    try:
        return value.new_zeros((sr.n_rows, *value.shape[1:])).index_add_(0, sr.index, value)
    except (IndexError, RuntimeError):
        outside = [row for row in sr.rows() if not 0 <= row < sr.n_rows]
        if not outside:
            raise
        raise ValueRangeError(f"SelectedRows of height {sr.n_rows} has row {outside[0]}") from None


def add_all(items: Sequence[SelectedRows]) -> SelectedRows:
    """The sum of several: their rows one after the other."""
    heights = {item.n_rows for item in items}
    if len(heights) != 1:
        raise ArgumentError(f"SelectedRows to be added must have one height, got {sorted(heights)}")
    if len(items) == 1:
        return items[0]
    index = torch.cat([item.index for item in items])
    return SelectedRows.of(index, torch.cat([item.value for item in items]), items[0].n_rows)


def cut_rows(sr: SelectedRows, sections: Sequence[int]) -> Iterator[SelectedRows]:
    """The rows that lie in each section of so many rows, numbered from the section's first row."""
    first = 0
    for height in sections:
        inside = (sr.index >= first) & (sr.index < first + height)
        positions = inside.nonzero().view(-1)
        yield SelectedRows.of(sr.index.index_select(0, positions) - first, sr.value.index_select(0, positions), height)
        first += height
