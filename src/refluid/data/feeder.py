"""DataFeeder: from lists of samples to what Executor.run is fed with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.core.places import CPUPlace, Place, cpu_places, cuda_places, device_of
from refluid.data.fields import Field, columns_of
from refluid.ir import program as programs
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.tensor.lod_tensor import LoDTensor


class DataFeeder:
    """Turns a batch (a list of samples, one field per variable) into {name: LoDTensor}.

    Args:
        feed_list: variables or names of variables, in the order of the fields of a sample.
        place: the place of the tensors.
        program: the program where names are looked up; the default main program if None.

    Example:
        >>> x = fluid.data("x", [None, 2])
        >>> words = fluid.data("words", [None, 1], "int64", lod_level=1)
        >>> feeder = fluid.DataFeeder(feed_list=[x, words], place=fluid.CPUPlace())
        >>> feed = feeder.feed([([1, 2], [7, 8, 9]), ([3, 4], [5])])
        >>> feed["x"].shape(), feed["words"].recursive_sequence_lengths()
        ([2, 2], [[3, 1]])
    """

    def __init__(self, feed_list: Sequence[Variable | str], place: Place, program: Program | None = None):
        block = (program or programs.default_main_program()).global_block()
        self.feed_list: list[Variable] = []
        for entry in feed_list:
            var = block.find_var(entry) if isinstance(entry, str) else entry
            if var is None:
                raise NotFoundError(f"DataFeeder: feed_list names {entry!r}, but the program has no such variable")
            if not isinstance(var, Variable):
                raise ArgumentError(
                    f"DataFeeder: feed_list must hold variables or their names, got {type(entry).__name__}"
                )
            self.feed_list.append(var)
        self.place = place
        self._names = [var.name for var in self.feed_list]
        self._fields = [Field(var, "DataFeeder") for var in self.feed_list]

    def feed(self, iterable: Iterable[Any]) -> dict[str, LoDTensor]:
        """Make tensors of a batch; fields are converted to the dtype of their variable.

        Args:
            iterable: a list of samples, each a list or tuple of fields.

        Returns:
            {name of the variable: LoDTensor}.
        """
        return self._feed(iterable, self.place)

    def _feed(self, batch: Iterable[Any], place: Place) -> dict[str, LoDTensor]:
        if not isinstance(batch, list | tuple):
            if not isinstance(batch, Iterable):
                hint = "; call the reader and pass one of its batches" if callable(batch) else ""
                raise ArgumentError(f"DataFeeder.feed: expected a list of samples, got {type(batch).__name__}{hint}")
            batch = list(batch)
        columns = columns_of(batch, self._names, "DataFeeder")
        device = device_of(place)
        return {field.name: field.tensor(column, device) for field, column in zip(self._fields, columns, strict=True)}

    def feed_parallel(self, iterable: Iterable[Any], num_places: int | None = None) -> Iterator[dict[str, LoDTensor]]:
        """Make tensors for several places, from one batch per place.

        Args:
            iterable: the batches.
            num_places: the number of places; all of the kind of the feeder's place if None.

        Yields:
            {name of the variable: LoDTensor} for each place.
        """
        places = self._places(num_places)
        batches = list(iterable)
        if len(batches) != len(places):
            raise ArgumentError(f"DataFeeder: {len(places)} places need as many batches, got {len(batches)}")
        for place, batch in zip(places, batches, strict=True):
            yield self._feed(batch, place)

    def decorate_reader(
        self, reader: Callable, multi_devices: bool, num_places: int | None = None, drop_last: bool = True
    ) -> Callable:
        """A reader of feeds from a reader of batches.

        Args:
            reader: a reader of batches.
            multi_devices: make lists of feeds, one per device.
            num_places: the number of places.
            drop_last: leave out the last batches if they are fewer than the places; else they are refused.

        Returns:
            A reader of feeds, or of lists of feeds.
        """

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

    def _get_number_of_places_(self, num_places: int | None) -> int:
        return len(self._places(num_places))

    def _places(self, num_places: int | None) -> list[Place]:
        if isinstance(self.place, CPUPlace):
            return list(cpu_places(num_places))
        places: list[Place] = list(cuda_places())
        return places if num_places is None else places[:num_places]
