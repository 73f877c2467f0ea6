"""GeneratorLoader: batches from a Python function, read ahead of the training loop."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError, EOFException
from refluid.core.places import CPUPlace, Place, device_of
from refluid.core.unique_name import UniqueNameGenerator
from refluid.core.warn import warn_once
from refluid.data.batch import batch
from refluid.data.fields import Declared, Field
from refluid.data.loading import sources
from refluid.data.loading.process import in_process
from refluid.data.loading.reader_ops import write_double_buffer, write_read, write_reader
from refluid.data.loading.sources import Source, Value
from refluid.data.readers.calling import check_reader
from refluid.data.readers.threads import Consumer, buffered
from refluid.eager.base import tape
from refluid.eager.variable import VarBase
from refluid.ir.program import Program
from refluid.tensor.lod_tensor import LoDTensor, tensor_of

Item = list[list[LoDTensor]]  # one list of tensors per place

_reader_name = UniqueNameGenerator()  # Fluid: no guard starts the names of these readers afresh


class GeneratorLoader:
    """Loads what a function generates, in a thread or a process, up to `capacity` batches ahead.

    Args:
        feed_list: the variables to load, in the order of the fields; None in the imperative mode.
        capacity: how many batches may wait.
        use_double_buffer: copy batches to their device before they are asked for.
        iterable: iterate over feeds (True), or let the program ask for its data between `start` and `reset` (False).
        return_list: items are lists of tensors instead of dictionaries; always so in the imperative mode.
        use_multiprocess: read in a process instead of a thread, for readers that compute a lot in Python.
        drop_last: with several places, leave out the last batches if they are fewer than the places.
    """

    def __init__(
        self,
        feed_list: Sequence[Declared] | None = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
        owner: str = "DataLoader",
    ):
        self.owner = owner
        if not isinstance(capacity, int) or capacity < 1:
            raise ArgumentError(f"{owner}: capacity must be a number of batches of at least 1, got {capacity!r}")
        self._imperative = mode.current().imperative
        if feed_list is None and not self._imperative:
            raise ArgumentError(f"{owner}: feed_list, the variables to load, must be given in the static mode")
        self._fields = None if self._imperative or feed_list is None else [Field(var, owner) for var in feed_list]
        self._names = None if self._fields is None else [field.name for field in self._fields]
        self._iterable = iterable or self._imperative  # Fluid: a loader of the imperative mode is always iterable
        self._return_list = return_list or self._imperative
        self._capacity = capacity
        self._early = use_double_buffer
        self._in_process = use_multiprocess
        self._drop_last = drop_last
        self._source: Source | None = None
        self._places: list[Place] = [CPUPlace()]
        self._epoch: Epoch | None = None  # of start() and reset()
        self._latest: Callable[[], Epoch | None] = lambda: None  # of iter(), whose caller owns it
        self._held: Epoch | None = None  # of next() without iter()

    # -- where data come from -----------------------------------------------------------------------------------

    def set_sample_generator(
        self,
        reader: Callable[[], Any],
        batch_size: int,
        drop_last: bool = True,
        places: Place | Sequence[Place] | None = None,
    ) -> GeneratorLoader:
        """Load from a function that generates samples: tuples with one field per variable."""
        check_reader(reader, f"{self.owner}.set_sample_generator")
        return self.set_sample_list_generator(batch(reader, batch_size, drop_last), places)

    def set_sample_list_generator(self, reader: Callable[[], Any], places: object = None) -> GeneratorLoader:
        """Load from a function that generates lists of samples, as `paddle.batch` makes them."""
        check_reader(reader, f"{self.owner}.set_sample_list_generator")
        return self._set(sources.from_sample_lists(reader, self._fields, self.owner), places)

    def set_batch_generator(self, reader: Callable[[], Any], places: object = None) -> GeneratorLoader:
        """Load from a function that generates batches: lists of arrays or LoDTensors, one per variable."""
        check_reader(reader, f"{self.owner}.set_batch_generator")
        return self._set(sources.from_batches(reader, self._names, self.owner), places)

    def _set(self, source: Source, places: Any) -> GeneratorLoader:
        if places is not None:
            self._places = list(places) if isinstance(places, list | tuple) else [places]
            if not self._places:
                raise ArgumentError(f"{self.owner}: places must name at least one place, got none")
            for place in self._places:
                device_of(place)  # a place that does not exist is refused here, not in a thread
            if self._imperative and len(self._places) > 1:
                raise ArgumentError(f"{self.owner}: the imperative mode takes one place, got {len(self._places)}")
        elif self._imperative:
            self._places = []  # the place of the mode at run time
        elif self._iterable:
            raise ArgumentError(f"{self.owner}: places must be given when the loader is iterable")
        self._source = source
        return self

    # -- for loops ----------------------------------------------------------------------------------------------

    @property
    def iterable(self) -> bool:
        return self._iterable

    def __call__(self) -> GeneratorLoader:
        """The loader itself, at the beginning of an epoch: programs write `for data in loader():` and `loader()()`."""
        self._check_iterable()
        self._held = None
        return self

    def __iter__(self) -> Epoch:
        self._check_iterable()
        epoch = self._begin()
        self._latest = weakref.ref(epoch)
        return epoch

    def __next__(self) -> Any:
        """The next item of the epoch that iter() began last, or of one of the loader's own if that is gone."""
        epoch = self._held or self._latest()
        if epoch is None:
            epoch = self._held = iter(self)
        try:
            return next(epoch)
        except StopIteration:
            self._held = None
            raise

    def _check_iterable(self) -> None:
        if not self._iterable:
            raise ArgumentError(
                f"{self.owner} is not iterable: call start(), run the program without feed, and reset()"
            )

    next = __next__

    # -- start, reset -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin an epoch; from now on the program may ask for data."""
        self._refuse_if_iterable("start")
        if self._epoch is not None and self._epoch.running:
            warn_once(f"{self.owner}.start: the last epoch has not ended; it is reset")
            self.reset()
        self._epoch = self._begin()

    def reset(self) -> None:
        """End the epoch, wherever it is."""
        self._refuse_if_iterable("reset")
        if self._epoch is not None:
            self._epoch.close()
            self._epoch = None

    def next_batch(self) -> list[LoDTensor]:
        """The next batch of the epoch that `start` began; EOFException at its end."""
        if self._epoch is None:
            raise ArgumentError(f"{self.owner}: the program asks for data, but start() was not called")
        try:
            return next(self._epoch)[0]
        except StopIteration:
            raise EOFException(f"{self.owner}: there is no next batch; the epoch has ended") from None

    def _refuse_if_iterable(self, method: str) -> None:
        if self._iterable:
            raise ArgumentError(f"{self.owner}.{method}: this loader is iterable; use it in a for loop")

    def serve(self, program: Program, feed_list: Sequence[Any] | None) -> GeneratorLoader:
        """Let a program take the values of feed_list from here, unless they are to be iterated over."""
        if not self._iterable and feed_list is not None:
            block = program.current_block()
            reader = _reader_name("create_py_reader")
            write_reader(block, reader, _reader_name("lod_tensor_blocking_queue"), feed_list, self)
            if self._early:
                buffer = _reader_name("double_buffer")
                write_double_buffer(block, reader, buffer)
                reader = buffer
            write_read(block, reader, [var.name for var in feed_list], self)
        return self

    # -- an epoch -----------------------------------------------------------------------------------------------

    @property
    def queue(self) -> Queue:
        """The queue of batches that wait, for monitoring."""
        return Queue(self._epoch or self._latest(), self._capacity)

    def _begin(self) -> Epoch:
        if self._source is None:
            raise ArgumentError(
                f"{self.owner}: no source of data was set; call set_sample_generator, set_sample_list_generator or "
                "set_batch_generator first"
            )
        source, places, drop_last = self._source, self._places, self._drop_last
        finish = finisher(self._imperative, None if self._return_list or not self._iterable else self._names)
        if self._in_process:
            values: Any = in_process(source, self._capacity, self.owner)
            return Epoch(as_items(values, places, drop_last), values, finish)
        if self._early:
            items = buffered(lambda: as_items(source(), places, drop_last), self._capacity)()
            return Epoch(items, items, finish)
        values = buffered(source, self._capacity)()
        return Epoch(as_items(values, places, drop_last), values, finish)


def as_items(batches: Iterable[list[Value]], places: list[Place], drop_last: bool) -> Iterator[Item]:
    """Batches as tensors, in groups of one per place; without places on that of the imperative mode."""
    devices = [device_of(place) for place in places] or [tape().device]
    batches = iter(batches)
    while group := list(islice(batches, len(devices))):
        if len(group) < len(devices) and drop_last:
            return
        yield [
            [LoDTensor.of(tensor_of(array, device, copy=False), lod) for array, lod in values]
            for values, device in zip(group, devices, strict=False)
        ]


def finisher(imperative: bool, names: list[str] | None) -> Callable[[Item], Any]:
    """From tensors to what the loop gets: variables, dictionaries, or the tensors (without names).

    A function of no loader: an epoch must not keep its loader alive.
    """
    if imperative:
        return _variables
    if names is None:
        return lambda item: item
    return lambda item: [dict(zip(names, tensors, strict=True)) for tensors in item]


def _variables(item: Item) -> list[VarBase]:
    variables = []
    for tensor in item[0]:
        var = VarBase(tensor.value())
        if tensor.lod_value is not None:
            var._take_lod(tensor.lod_value)
        variables.append(var)
    return variables


class Epoch:
    """An iterator over the items of one epoch. Whoever reads ahead for it ends when it is closed or dropped."""

    def __init__(self, items: Iterator[Any], reading: Any, finish: Callable[[Any], Any]) -> None:
        self._items = items
        self._reading = reading
        self._finish = finish
        self._empty = True
        self.running = True

    def __iter__(self) -> Epoch:
        return self

    def __next__(self) -> Any:
        try:
            item = self._finish(next(self._items))
            self._empty = False
            return item
        except BaseException as end:
            self.close()
            if self._empty and isinstance(end, StopIteration):
                self._empty = False
                warn_once("the reader yielded nothing; is there less data than one batch, and drop_last=True drops it?")
            raise

    def waiting(self) -> int:
        return self._reading.waiting() if isinstance(self._reading, Consumer) else 0

    def close(self) -> None:
        self.running = False
        self._items = iter(())
        self._reading.close()


class Queue:
    """How many batches wait, in the form of Fluid's queues."""

    def __init__(self, epoch: Epoch | None, capacity: int) -> None:
        self._epoch = epoch
        self._capacity = capacity

    def size(self) -> int:
        return 0 if self._epoch is None else self._epoch.waiting()

    def capacity(self) -> int:
        return self._capacity
