"""DataFeeder: from lists of samples to what Executor.run is fed with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.places import CPU, CPUPlace, Place, cpu_places, cuda_places, device_of
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor, tensor_of


class DataFeeder:
    """Turns a batch (a list of samples, one field per variable) into {name: LoDTensor}.

    Args:
        feed_list: variables or names of variables, in the order of the fields of a sample.
        place: where the tensors are to live.
        program: where names are looked up; the default main program if None.
    """

    def __init__(self, feed_list: list[Any], place: Place, program: Any = None):
        block = (program or programs.default_main_program()).global_block()
        self.feed_list: list[Variable] = []
        for one in feed_list:
            var = block.var(one) if isinstance(one, str) else one
            if not isinstance(var, Variable):
                raise ArgumentError(f"DataFeeder: feed_list must hold variables or their names, got {type(one).__name__}")
            self.feed_list.append(var)
        self.place = place

    def feed(self, iterable: Iterable[Any]) -> dict[str, LoDTensor]:
        """The batch as tensors; fields take the dtype of their variable, as Fluid converts them."""
        columns: list[list[Any]] = [[] for _ in self.feed_list]
        for number, sample in enumerate(iterable):
            try:
                fields = len(sample)
            except TypeError:
                raise ArgumentError(
                    f"DataFeeder: sample {number} must be a tuple with one field per variable, got {sample!r}"
                ) from None
            if fields != len(columns):
                raise ArgumentError(
                    f"DataFeeder: sample {number} has {fields} fields, but feed_list has {len(columns)}: "
                    f"{', '.join(var.name for var in self.feed_list)}"
                )
            for column, field in zip(columns, sample, strict=True):
                column.append(field)
        if not columns or not columns[0]:
            raise ArgumentError("DataFeeder: the batch has no samples")
        return {var.name: self._tensor(var, column) for var, column in zip(self.feed_list, columns, strict=True)}

    def feed_parallel(self, iterable: Iterable[Any], num_places: int | None = None) -> Iterator[dict[str, LoDTensor]]:
        """One dictionary of tensors per place, from one batch per place."""
        places = self._places(num_places)
        batches = list(iterable)
        if len(batches) != len(places):
            raise ArgumentError(f"DataFeeder: {len(places)} places need as many batches, got {len(batches)}")
        for place, batch in zip(places, batches, strict=True):
            yield DataFeeder(self.feed_list, place).feed(batch)

    def decorate_reader(
        self, reader: Callable, multi_devices: bool, num_places: int | None = None, drop_last: bool = True
    ) -> Callable:
        """A reader of feeds from a reader of batches; with several devices, of lists of feeds."""

        def one_device() -> Iterator[Any]:
            for batch in reader():
                yield self.feed(batch)

        def many_devices() -> Iterator[Any]:
            count = len(self._places(num_places))
            waiting = []
            for batch in reader():
                waiting.append(batch)
                if len(waiting) == count:
                    yield list(self.feed_parallel(waiting, num_places))
                    waiting = []
            if waiting and not drop_last:
                raise ArgumentError(
                    f"DataFeeder: {len(waiting)} batches are left over for {count} places; set drop_last=True"
                )

        return many_devices if multi_devices else one_device

    def _places(self, num_places: int | None) -> list[Place]:
        if isinstance(self.place, CPUPlace):
            return list(cpu_places(num_places))
        found = list(cuda_places())
        return found if num_places is None else found[:num_places]

    def _tensor(self, var: Variable, column: list[Any]) -> LoDTensor:
        dtype = dtypes.numpy_dtype(var.dtype)
        device = device_of(self.place)
        if var.lod_level == 0:
            array = self._stacked(var, column, dtype)
            return LoDTensor.of(tensor_of(array, device, copy=False))
        lengths: list[list[int]] = []
        for _ in range(var.lod_level):
            try:
                lengths.append([len(sequence) for sequence in column])
                column = list(chain.from_iterable(column))
            except TypeError:
                raise ShapeError(
                    f"DataFeeder: {var.name} has lod_level={var.lod_level}, but a sample is nested less deeply"
                ) from None
        rest = [size for size in var.shape[1:]]
        array = np.array(column, dtype=dtype)
        if rest and all(size >= 0 for size in rest):
            try:
                array = array.reshape([-1, *rest] if array.size else [0, *rest])
            except ValueError:
                raise self._misfit(var, array.shape) from None
        t = tensor_of(array, CPU, copy=False)
        return LoDTensor.of(t if device is CPU else t.to(device), LoD.from_lengths(lengths))

    def _stacked(self, var: Variable, column: list[Any], dtype: np.dtype) -> np.ndarray:
        try:
            array = np.array(column, dtype=dtype)
        except ValueError:
            sizes = sorted({np.shape(one) for one in column})
            raise ShapeError(
                f"DataFeeder: the samples of {var.name} have different shapes: {', '.join(map(str, sizes[:3]))}; "
                "sequences need lod_level=1"
            ) from None
        shape = var.shape
        if shape and sum(size < 0 for size in shape) <= 1 and len(array.shape) != len(shape) or self._differs(array, shape):
            try:
                return array.reshape(shape)
            except ValueError:
                raise self._misfit(var, array.shape) from None
        return array

    @staticmethod
    def _differs(array: np.ndarray, shape: tuple[int, ...]) -> bool:
        return len(array.shape) == len(shape) and any(d not in (-1, n) for d, n in zip(shape, array.shape, strict=True))

    @staticmethod
    def _misfit(var: Variable, shape: tuple[int, ...]) -> ShapeError:
        return ShapeError(
            f"DataFeeder: {var.name} is declared {list(var.shape)}, but the batch has the shape {list(shape)}"
        )
