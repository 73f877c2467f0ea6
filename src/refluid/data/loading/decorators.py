"""shuffle, batch and Preprocessor: transforms of the batches of a reader of a program (1.5)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.places import CPU, CPUPlace
from refluid.data.loading.py_reader import ProgramReader, Slot, need_reader
from refluid.data.loading.sources import Source, Value
from refluid.data.readers.combine import shuffle as shuffled
from refluid.executor.executor import Executor
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor, tensor_of
from refluid.tensor.scope import Scope


def shuffle(reader: ProgramReader, buffer_size: int) -> ProgramReader:
    """Let a reader of a program give its batches in random order, within a buffer of `buffer_size` of them.

    Args:
        reader: what `py_reader` or another function of this kind returns.
        buffer_size: the number of batches that are shuffled at a time.

    Returns:
        The reader.
    """
    need_reader("shuffle", reader)
    _check_count("shuffle: buffer_size", buffer_size)
    reader.change(lambda source: lambda: iter(shuffled(source, buffer_size)()))
    return reader


def batch(reader: ProgramReader, batch_size: int) -> ProgramReader:
    """Let a reader of a program put `batch_size` of its batches into one; a smaller remainder is dropped.

    Args:
        reader: what `py_reader` or another function of this kind returns.
        batch_size: the number of batches that are concatenated.

    Returns:
        The reader.
    """
    need_reader("batch", reader)
    _check_count("batch: batch_size", batch_size)
    reader.change(lambda source: _grouped(source, batch_size))
    return reader


def _check_count(what: str, count: object) -> None:
    if not isinstance(count, int) or count < 1:
        raise ArgumentError(f"{what} must be a number of at least 1, got {count!r}")


def _grouped(source: Source, size: int) -> Source:
    def batches() -> Iterator[list[Value]]:
        group: list[list[Value]] = []
        for batch in source():
            group.append(batch)
            if len(group) == size:
                yield [_joined(column, i) for i, column in enumerate(zip(*group, strict=True))]
                group = []

    return batches


def _joined(column: tuple[Value, ...], field: int) -> Value:
    arrays, lods = [array for array, _ in column], [lod for _, lod in column]
    if any(array.shape[1:] != arrays[0].shape[1:] for array in arrays):
        raise ShapeError(f"batch: field {field} has rows of different shapes: {[a.shape for a in arrays]}")
    levels = {0 if lod is None else len(lod) for lod in lods}
    if len(levels) > 1:
        raise ShapeError(f"batch: field {field} has different numbers of LoD levels: {sorted(levels)}")
    if lods[0] is None:
        return np.concatenate(arrays), None
    lengths = [lod.lengths() for lod in lods if lod is not None]
    return np.concatenate(arrays), LoD.from_lengths([list(chain(*level)) for level in zip(*lengths, strict=True)])


class Preprocessor:
    """Applies operators to the batches of a reader before the program reads them.

    Args:
        reader: what `py_reader` or another function of this kind returns.

    Example of its use:
        preprocessor = fluid.layers.Preprocessor(reader)
        with preprocessor.block():
            image, label = preprocessor.inputs()
            preprocessor.outputs(image / 255.0, label)
        image, label = fluid.layers.read_file(preprocessor())
    """

    def __init__(self, reader: ProgramReader, name: str | None = None):
        need_reader("Preprocessor", reader)
        self._reader = reader
        self._program, self._inside, self._done = Program(), False, False
        self._inputs: list[Variable] = []
        self._outputs: list[Variable] = []

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """The operators built inside are applied to batches."""
        if self._inside or self._done:
            raise ArgumentError("Preprocessor.block: one Preprocessor has one block")
        self._inside = True
        try:
            startup = Program()
            with program_guard(self._program, startup):
                yield
        finally:
            self._inside, self._done = False, True
        if startup.global_block().ops:
            raise ArgumentError("Preprocessor: its block must not create parameters; nothing would initialise them")
        if not self._outputs:
            raise ArgumentError("Preprocessor: the block must call inputs() and outputs(...)")

    def inputs(self) -> list[Variable]:
        """The fields of a batch."""
        self._need_block("inputs")
        block = self._program.global_block()
        self._inputs = [
            block.create_var(name=f"field_{i}", shape=slot.shape, dtype=slot.dtype, lod_level=slot.lod_level,
                             stop_gradient=True, is_data=True)
            for i, slot in enumerate(self._reader.slots)
        ]  # fmt: skip
        return self._inputs

    def outputs(self, *outs: Any) -> None:
        """What the program reads in their place."""
        self._need_block("outputs")
        if not outs or not all(isinstance(out, Variable) for out in outs):
            raise ArgumentError("Preprocessor.outputs: it takes the variables that the program is to read")
        self._outputs = list(outs)

    def __call__(self) -> ProgramReader:
        """The reader, whose batches are the outputs from now on."""
        if not self._done:
            raise ArgumentError("Preprocessor: call it after its block")
        self._reader.slots = [Slot(out.name, out.shape, out.dtype, out.lod_level) for out in self._outputs]
        self._reader.change(self._computed)
        return self._reader

    def _computed(self, source: Source) -> Source:
        executor, scope = Executor(CPUPlace()), Scope()
        names = [var.name for var in self._inputs]

        def batches() -> Iterator[list[Value]]:
            for values in source():
                feed = {
                    name: LoDTensor.of(tensor_of(a, CPU), lod) for name, (a, lod) in zip(names, values, strict=True)
                }
                results = executor.run(self._program, feed, self._outputs, scope=scope, return_numpy=False)
                yield [(np.array(one), one.lod_value) for one in results]

        return batches

    def _need_block(self, method: str) -> None:
        if not self._inside:
            raise ArgumentError(f"Preprocessor.{method}: call it inside `with preprocessor.block():`")
