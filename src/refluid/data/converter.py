"""Samples collected one by one, and batches made of them: what DataFeeder's parts are called in 1.8.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.places import Place, device_of
from refluid.core.types import Dtype
from refluid.data.fields import Field
from refluid.ir.variable import Variable
from refluid.tensor.lod_tensor import LoDTensor


class DataToLoDTensorConverter:
    """Collects the values of one variable with `feed`; `done` makes the LoDTensor of them and starts again.

    Args:
        place: the place of the tensor.
        lod_level: the LoD level of the variable.
        shape: its shape.
        dtype: its dtype.
    """

    def __init__(self, place: Place, lod_level: int, shape: Sequence[int], dtype: Dtype):
        self.place, self.lod_level, self.shape, self.dtype = place, lod_level, tuple(shape), dtype
        declared = SimpleNamespace(name="data", shape=self.shape, dtype=dtype, lod_level=lod_level)
        self._field = Field(declared, "DataToLoDTensorConverter")
        self.data: list[Any] = []

    def feed(self, data: object) -> None:
        """Add the value of one sample."""
        self.data.append(data)

    def done(self) -> LoDTensor:
        tensor = self._field.tensor(self.data, device_of(self.place))
        self._reset()
        return tensor

    def _reset(self) -> None:
        self.data = []


class BatchedTensorProvider:
    """Makes batches of the samples of a generator: a call iterates over lists of LoDTensors, one list per batch.

    Args:
        feed_list: the variables, in the order of the fields of a sample; without LoD.
        place: the place of the tensors.
        batch_size: the number of samples in a batch.
        generator: a function that returns an iterable of samples.
        drop_last: leave out the last batch if it is shorter.
    """

    def __init__(
        self, feed_list: Sequence[Variable], place: Place, batch_size: int, generator: Callable, drop_last: bool
    ):
        for var in feed_list:
            if var.lod_level:
                raise ArgumentError(f"BatchedTensorProvider: {var.name} has the lod_level {var.lod_level}, expected 0")
        self.place, self.batch_size, self.generator, self.drop_last = place, batch_size, generator, drop_last
        self.converters = [DataToLoDTensorConverter(place, 0, var.shape, var.dtype) for var in feed_list]

    def __call__(self) -> Iterator[list[LoDTensor]]:
        count = 0
        for sample in self.generator():
            for value, converter in zip(sample, self.converters):
                converter.feed(value)
            count += 1
            if count == self.batch_size:
                count = 0
                yield self._done()
        if count and not self.drop_last:
            yield self._done()
        for converter in self.converters:
            converter._reset()

    def _done(self) -> list[LoDTensor]:
        return [converter.done() for converter in self.converters]
