"""Data generators: scripts that turn lines into the slots that data sets read (`pipe_command="python my_data.py"`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from refluid.core.errors import ArgumentError, NotDefinedError

Sample = Any  # [(name of a slot, [values]), ...]


class DataGenerator:
    """Base: define `generate_sample`, and `generate_batch` if samples of a batch are made together.

    Example:
        class Words(MultiSlotDataGenerator):
            def generate_sample(self, line):
                def samples():
                    yield [("words", [int(word) for word in line.split()])]
                return samples

        Words().run_from_stdin()
    """

    def __init__(self) -> None:
        self._proto_info: list[tuple[str, str]] | None = None
        self.batch_size_ = 32

    def _set_line_limit(self, line_limit: int) -> None:
        if not isinstance(line_limit, int) or line_limit < 1:
            raise ArgumentError(f"line_limit must be a number above 0, got {line_limit!r}")
        self._line_limit = line_limit

    def set_batch(self, batch_size: int) -> None:
        """How many samples `generate_batch` gets at a time."""
        self.batch_size_ = batch_size

    def run_from_memory(self) -> None:
        """Write the samples of `generate_sample(None)` to stdout."""
        self._run([None])

    def run_from_stdin(self) -> None:
        """Write the samples of every line of stdin to stdout."""
        self._run(sys.stdin)

    def _run(self, lines: Iterable[str | None]) -> None:
        batch: list[Sample] = []
        for sample in self._samples(lines):
            batch.append(sample)
            if len(batch) == self.batch_size_:
                self._write(batch)
                batch = []
        if batch:
            self._write(batch)

    def _samples(self, lines: Iterable[str | None]) -> Iterator[Sample]:
        for line in lines:
            yield from (sample for sample in self.generate_sample(line)() if sample is not None)

    def _write(self, batch: list[Sample]) -> None:
        for sample in self.generate_batch(batch)():
            sys.stdout.write(self._gen_str(sample))

    def _gen_str(self, line: Sample) -> str:
        raise NotDefinedError(f"{type(self).__name__} must define _gen_str; MultiSlotDataGenerator does")

    def generate_sample(self, line: str | None) -> Callable[[], Iterable[Sample]]:
        """A function that gives the samples of a line: each [(slot, [values]), ...]."""
        raise NotDefinedError(f"{type(self).__name__} must define generate_sample")

    def generate_batch(self, samples: list[Sample]) -> Callable[[], Iterable[Sample]]:
        """A function that gives the samples of a batch, changed together if need be."""
        return lambda: iter(samples)


class MultiSlotStringDataGenerator(DataGenerator):
    """Writes slots whose values are str already."""

    def _gen_str(self, line: Sample) -> str:
        slots = _checked(line)
        return " ".join(" ".join([str(len(values)), *values]) for _, values in slots) + "\n"


class MultiSlotDataGenerator(DataGenerator):
    """Writes slots of ints and floats; a slot that ever had a float is one of floats (`_proto_info`)."""

    def _gen_str(self, line: Sample) -> str:
        slots = _checked(line)
        for name, values in slots:
            _check_slot(name, values)
        if self._proto_info is None:
            self._proto_info = [(name, "uint64") for name, _ in slots]
        elif len(slots) != len(self._proto_info):
            raise ArgumentError(f"a sample has {len(slots)} slots, the first one had {len(self._proto_info)}")
        for i, (name, values) in enumerate(slots):
            known, kind = self._proto_info[i]
            if name != known:
                raise ArgumentError(f"slot {i} is {name!r} here and was {known!r} in the first sample")
            if kind == "uint64" and any(isinstance(value, float) for value in values):
                self._proto_info[i] = (name, "float")
        return " ".join(" ".join(map(str, [len(values), *values])) for _, values in slots) + "\n"


def _checked(line: Sample) -> list[tuple[str, list[Any]]]:
    if not isinstance(line, list | tuple | zip):  # zip: scripts of Python 2, where it gave a list, yield it
        raise ArgumentError(f"a sample must be a list of (slot, values), got {type(line).__name__}")
    return list(line)


def _check_slot(name: object, values: object) -> None:
    if not isinstance(name, str):
        raise ArgumentError(f"the name of a slot must be a str, got {type(name).__name__}")
    if not isinstance(values, list) or not values:
        raise ArgumentError(f"slot {name!r}: values must be a list with one at least, got {values!r}")
    wrong = next((value for value in values if not isinstance(value, int | float)), None)
    if wrong is not None:
        raise ArgumentError(f"slot {name!r}: values must be int or float, got {type(wrong).__name__}")
