"""PyReader, and the functions of fluid.layers that read inside a program: py_reader, read_file, double_buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from refluid.core import mode, unique_name
from refluid.core.errors import ArgumentError, ModeError
from refluid.core.places import Place
from refluid.core.types import Dtype
from refluid.data.loading.generator import GeneratorLoader
from refluid.data.loading.reader_ops import declare_reader, write_double_buffer, write_read, write_reader
from refluid.data.loading.sources import Source
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.tensor.lod_tensor import LoDTensor


class PyReader(GeneratorLoader):
    """GeneratorLoader under the names of Fluid 1.4 and 1.5.

    Args:
        feed_list: the variables to load, in the order of the fields; None in the imperative mode.
        capacity: the number of batches that may wait.
        use_double_buffer: copy batches to their device before they are asked for.
        iterable: iterate over feeds; if False the program asks for its data between `start` and `reset`.
        return_list: items are lists of tensors instead of dictionaries; always so in the imperative mode.

    Example:
        >>> x = fluid.data("x", [None, 2])
        >>> reader = fluid.io.PyReader(feed_list=[x], capacity=2, return_list=True)
        >>> batches = [[np.ones([3, 2], "float32")], [np.zeros([1, 2], "float32")]]
        >>> reader.decorate_batch_generator(lambda: iter(batches), places=fluid.CPUPlace())
        >>> [tensor.shape() for ((tensor,),) in reader()]  # a list of tensors per place
        [[3, 2], [1, 2]]
    """

    def __init__(
        self,
        feed_list: Sequence[Variable] | None = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
    ):
        super().__init__(feed_list, capacity, use_double_buffer, iterable, return_list, owner="PyReader")
        self.serve(programs.default_main_program(), feed_list)

    def decorate_sample_generator(
        self,
        sample_generator: Callable[[], Any],
        batch_size: int,
        drop_last: bool = True,
        places: Place | Sequence[Place] | None = None,
    ) -> None:
        """Load from a function that generates samples."""
        self.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(
        self, reader: Callable[[], Any], places: Place | Sequence[Place] | None = None
    ) -> None:
        """Load from a function that generates lists of samples."""
        self.set_sample_list_generator(reader, places)

    def decorate_batch_generator(
        self, reader: Callable[[], Any], places: Place | Sequence[Place] | None = None
    ) -> None:
        """Load from a function that generates lists of arrays."""
        self.set_batch_generator(reader, places)


class Slot(NamedTuple):
    """A field of a reader that has no variable yet."""

    name: str
    shape: tuple[int, ...]
    dtype: Dtype
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
        mode.current().demand_program(
            ModeError("py_reader: readers of programs are of the static mode; use DataLoader.from_generator")
        )
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

    def double_buffer(self, name: str, place: Place | None = None) -> None:
        """Copy batches to their device before they are asked for."""
        write_double_buffer(programs.default_main_program().current_block(), self.name, name, place)
        self.name = name
        self._early = True
        if place is not None:
            self._places = [place]

    def change(self, how: Callable[[Source], Source]) -> None:
        """Apply `how` to the batches of the source, after earlier changes."""
        self._changes.append(how)
        if self._source is not None:
            self._source = how(self._source)

    def _set(self, source: Source, places: Place | Sequence[Place]) -> GeneratorLoader:
        for how in self._changes:
            source = how(source)
        return super()._set(source, places)

    def next_batch(self) -> list[LoDTensor]:
        if self._by_itself and self._epoch is None:
            self.start()
        return super().next_batch()

    def decorate_paddle_reader(self, reader: Callable[[], Any], places: Place | Sequence[Place] | None = None) -> None:
        """Read from a function that generates lists of samples."""
        self.set_sample_list_generator(reader, places)

    def decorate_tensor_provider(
        self, reader: Callable[[], Any], places: Place | Sequence[Place] | None = None
    ) -> None:
        """Read from a function that generates lists of arrays."""
        self.set_batch_generator(reader, places)

    decorate_sample_list_generator = decorate_paddle_reader
    decorate_batch_generator = decorate_tensor_provider


def py_reader(
    capacity: int,
    shapes: Sequence[Sequence[int]],
    dtypes: Sequence[Dtype],
    lod_levels: Sequence[int] | None = None,
    name: str | None = None,
    use_double_buffer: bool = True,
) -> ProgramReader:
    """A reader that a program takes its data from.

    Args:
        capacity: the number of batches that may wait.
        shapes: the shape of every field; -1 for the batch size.
        dtypes: the dtype of every field.
        lod_levels: the LoD level of every field; 0 if None.
        name: the name of the reader.
        use_double_buffer: copy batches to their device before they are asked for.

    Returns:
        A reader: `read_file` makes variables of it, `decorate_paddle_reader` gives it data, `start` begins an epoch.

    Example:
        >>> reader = fluid.layers.py_reader(capacity=4, shapes=[[-1, 2], [-1, 1]], dtypes=["float32", "int64"])
        >>> image, label = fluid.layers.read_file(reader)
        >>> total = fluid.layers.reduce_sum(image)
        >>> reader.decorate_paddle_reader(paddle.batch(lambda: [([1, 2], 0), ([3, 4], 1), ([5, 6], 0)], 2))
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> reader.start()
        >>> while True:
        ...     try:
        ...         print(exe.run(fetch_list=[total])[0].item())
        ...     except fluid.core.EOFException:
        ...         reader.reset()
        ...         break
        10.0
        11.0
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
    capacity: int, feed_list: Sequence[Variable], name: str | None = None, use_double_buffer: bool = True
) -> ProgramReader:
    """A reader with the shapes, dtypes and LoD levels of existing variables; `read_file` makes new ones.

    Args:
        capacity: the number of batches that may wait.
        feed_list: the variables, in the order of the fields.
        use_double_buffer: copy batches to their device before they are asked for.

    Returns:
        A reader, as `py_reader` returns it.

    Example:
        >>> feeds = [fluid.data("image", [None, 784]), fluid.data("label", [None, 1], "int64")]
        >>> reader = fluid.layers.create_py_reader_by_data(8, feeds)
        >>> [field.shape for field in fluid.layers.read_file(reader)]
        [(-1, 784), (-1, 1)]
    """
    slots = [Slot(var.name, tuple(var.shape), var.dtype, var.lod_level) for var in feed_list]
    return ProgramReader(capacity, slots, name, use_double_buffer)


def read_file(reader: ProgramReader) -> Variable | list[Variable]:
    """The variables that a reader fills in every run.

    Args:
        reader: what `py_reader`, `open_files` or another function of this kind returns.

    Returns:
        A list of variables, one per field; the variable itself if there is one field.

    Example:
        >>> reader = fluid.layers.py_reader(capacity=4, shapes=[[-1, 3], [-1, 1]], dtypes=["float32", "int64"])
        >>> [var.shape for var in fluid.layers.read_file(reader)]
        [(-1, 3), (-1, 1)]
    """
    need_reader("read_file", reader)
    block = programs.default_main_program().current_block()
    prefix = unique_name.generate("read_file")
    variables = [
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
    write_read(block, reader.name, [var.name for var in variables], reader)
    return variables if len(variables) > 1 else variables[0]


def random_data_generator(
    low: float, high: float, shapes: Sequence[Sequence[int]], lod_levels: Sequence[int], for_parallel: bool = True
) -> ProgramReader:
    """A reader of endless random numbers, uniform between `low` and `high`, to try a network without data.

    Args:
        low: the lower bound.
        high: the upper bound.
        shapes: the full shapes of the fields, float32.
        lod_levels: one per field, 0.
        for_parallel: no effect.

    Returns:
        A reader for `read_file`.
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


def double_buffer(reader: ProgramReader, place: Place | None = None, name: str | None = None) -> ProgramReader:
    """Let a reader copy batches to their device before they are asked for.

    Args:
        reader: what `py_reader` or another function of this kind returns.
        place: the place to copy to; that of the executor if None.

    Returns:
        The reader.
    """
    need_reader("double_buffer", reader)
    reader.double_buffer(unique_name.generate("create_double_buffer_reader") if name is None else name, place)
    return reader


def need_reader(function: str, reader: object) -> None:
    """Refuse what is no reader of a program."""
    if not isinstance(reader, ProgramReader):
        raise ArgumentError(f"{function}: expected what py_reader returns, got {type(reader).__name__}")
