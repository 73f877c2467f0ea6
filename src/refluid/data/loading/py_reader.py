"""PyReader, and the functions of fluid.layers that read inside a program: py_reader, read_file, double_buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from refluid.core import mode, unique_name
from refluid.core.errors import ArgumentError, ModeError
from refluid.data.loading.generator import GeneratorLoader
from refluid.data.loading.reader_ops import declare_reader, write_double_buffer, write_read, write_reader
from refluid.data.loading.sources import Source
from refluid.ir import program as programs
from refluid.tensor.lod_tensor import LoDTensor


class PyReader(GeneratorLoader):
    """GeneratorLoader under the names of Fluid 1.4 and 1.5; see there for the arguments."""

    def __init__(
        self,
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
    ):
        super().__init__(feed_list, capacity, use_double_buffer, iterable, return_list, owner="PyReader")
        self.serve(programs.default_main_program(), feed_list)

    def decorate_sample_generator(
        self, sample_generator: Callable[[], Any], batch_size: int, drop_last: bool = True, places: Any = None
    ) -> None:
        """Load from a function that generates samples."""
        self.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(self, reader: Callable[[], Any], places: Any = None) -> None:
        """Load from a function that generates lists of samples."""
        self.set_sample_list_generator(reader, places)

    def decorate_batch_generator(self, reader: Callable[[], Any], places: Any = None) -> None:
        """Load from a function that generates lists of arrays."""
        self.set_batch_generator(reader, places)


class Slot(NamedTuple):
    """A field of a reader that has no variable yet."""

    name: str
    shape: tuple[int, ...]
    dtype: Any
    lod_level: int


class ProgramReader(GeneratorLoader):
    """What py_reader returns: a reader without variables; `read_file` makes them.

    name: of the reader, of its queue and of its buffer begin with this; by default they have Fluid's names.
    by_itself: the reader starts when it is first asked.
    """

    def __init__(
        self,
        capacity: int,
        slots: Sequence[Slot],
        name: str | None = None,
        use_double_buffer: bool = True,
        by_itself: bool = False,
    ):
        if mode.current.imperative:
            raise ModeError("py_reader: readers of programs are of the static mode; use DataLoader.from_generator")
        self._by_itself = by_itself
        self._changes: list[Callable[[Source], Source]] = []
        self._prefix = name
        self.slots = list(slots)
        queue = self._name("queue", "lod_tensor_blocking_queue")
        self.name = self._name("reader", "create_py_reader")
        super().__init__(self.slots, capacity, False, iterable=False, owner=f"py_reader {self.name}")
        write_reader(programs.default_startup_program().current_block(), self.name, queue, self.slots, self)
        declare_reader(programs.default_main_program().current_block(), self.name)
        if use_double_buffer:
            self.double_buffer(self._name("double_buffer", "double_buffer"))

    def _name(self, suffix: str, default: str) -> str:
        return unique_name.generate(default) if self._prefix is None else f"{self._prefix}_{suffix}"

    def double_buffer(self, name: str, place: Any = None) -> None:
        """Copy batches to their device before they are asked for."""
        write_double_buffer(programs.default_main_program().current_block(), self.name, name, place)
        self.name = name
        self._early = True
        if place is not None:
            self._places = [place]

    def change(self, how: Callable[[Source], Source]) -> None:
        """Let batches go through `how` on their way from the source, behind earlier changes."""
        self._changes.append(how)
        if self._source is not None:
            self._source = how(self._source)

    def _set(self, source: Source, places: Any) -> GeneratorLoader:
        for how in self._changes:
            source = how(source)
        return super()._set(source, places)

    def next_batch(self) -> list[LoDTensor]:
        if self._by_itself and self._epoch is None:
            self.start()
        return super().next_batch()

    def decorate_paddle_reader(self, reader: Callable[[], Any], places: Any = None) -> None:
        """Read from a function that generates lists of samples."""
        self.set_sample_list_generator(reader, places)

    def decorate_tensor_provider(self, reader: Callable[[], Any], places: Any = None) -> None:
        """Read from a function that generates lists of arrays."""
        self.set_batch_generator(reader, places)

    decorate_sample_list_generator = decorate_paddle_reader
    decorate_batch_generator = decorate_tensor_provider


def py_reader(
    capacity: int,
    shapes: Sequence[Sequence[int]],
    dtypes: Sequence[Any],
    lod_levels: Sequence[int] | None = None,
    name: str | None = None,
    use_double_buffer: bool = True,
) -> ProgramReader:
    """A reader that a program takes its data from.

    Args:
        capacity: how many batches may wait.
        shapes, dtypes, lod_levels: one entry per field; -1 for the size of a batch.
        name: the name of the reader.
        use_double_buffer: copy batches to their device before they are asked for.
    Returns:
        A reader: `read_file` makes variables of it, `decorate_paddle_reader` gives it data, `start` begins an epoch.
    """
    lod_levels = [0] * len(shapes) if lod_levels is None else lod_levels
    if not len(shapes) == len(dtypes) == len(lod_levels):
        raise ArgumentError(
            f"py_reader: shapes, dtypes and lod_levels must have one entry per field, got {len(shapes)}, {len(dtypes)} "
            f"and {len(lod_levels)}"
        )
    slots = [
        Slot(f"field {i}", tuple(-1 if size is None else int(size) for size in shape), dtype, level)
        for i, (shape, dtype, level) in enumerate(zip(shapes, dtypes, lod_levels, strict=True))
    ]
    return ProgramReader(capacity, slots, name, use_double_buffer)


def create_py_reader_by_data(
    capacity: int, feed_list: Sequence[Any], name: str | None = None, use_double_buffer: bool = True
) -> ProgramReader:
    """A reader with the shapes, dtypes and LoD levels of existing variables; `read_file` makes new ones."""
    slots = [Slot(var.name, tuple(var.shape), var.dtype, var.lod_level) for var in feed_list]
    return ProgramReader(capacity, slots, name, use_double_buffer)


def read_file(reader: ProgramReader) -> Any:
    """The variables that a reader fills: a list of them, or the only one."""
    need_reader("read_file", reader)
    block = programs.default_main_program().current_block()
    prefix = unique_name.generate("read_file")
    made = [
        block.create_var(
            name=unique_name.generate(f"{prefix}.tmp"),
            shape=slot.shape,
            dtype=slot.dtype,
            lod_level=slot.lod_level,
            stop_gradient=True,
            is_data=True,
        )
        for slot in reader.slots
    ]
    write_read(block, reader.name, [var.name for var in made], reader)
    return made if len(made) > 1 else made[0]


def random_data_generator(
    low: float, high: float, shapes: Sequence[Sequence[int]], lod_levels: Sequence[int], for_parallel: bool = True
) -> ProgramReader:
    """A reader of endless random numbers between `low` and `high`, to try a network without data.

    Args:
        low, high: the range of the numbers.
        shapes: the whole shapes of the fields, float32.
        lod_levels: one per field, 0.
        for_parallel: taken for compatibility.
    """
    if any(lod_levels) or any(size is None or size < 0 for shape in shapes for size in shape):
        raise ArgumentError("random_data_generator: shapes must be whole and lod_levels 0")
    slots = [Slot(f"field {i}", tuple(shape), "float32", 0) for i, shape in enumerate(shapes)]
    reader = ProgramReader(4, slots, by_itself=True)

    def batches() -> Iterator[list[np.ndarray]]:
        while True:
            yield [np.random.uniform(low, high, shape).astype(np.float32) for shape in shapes]

    reader.decorate_tensor_provider(batches)
    return reader


def double_buffer(reader: ProgramReader, place: Any = None, name: str | None = None) -> ProgramReader:
    """Let a reader copy batches to their device before they are asked for."""
    need_reader("double_buffer", reader)
    reader.double_buffer(unique_name.generate("create_double_buffer_reader") if name is None else name, place)
    return reader


def need_reader(function: str, reader: Any) -> None:
    """Refuse what is no reader of a program."""
    if not isinstance(reader, ProgramReader):
        raise ArgumentError(f"{function}: expected what py_reader returns, got {type(reader).__name__}")
