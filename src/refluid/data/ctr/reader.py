"""ctr_reader of Fluid 1.5: files of clicks, read inside a program."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.core.places import CPUPlace
from refluid.data.loading.py_reader import ProgramReader, Slot
from refluid.data.loading.reader_ops import write_read
from refluid.ir import program as programs
from refluid.tensor.create import create_lod_tensor

if TYPE_CHECKING:
    from refluid.tensor.lod_tensor import LoDTensor


class ClicksReader(ProgramReader):
    """A reader that Fluid names after its own operator."""

    def _name(self, suffix: str, default: str) -> str:
        return super()._name(suffix, default.replace("create_py_reader", "create_ctr_reader"))


def ctr_reader(
    feed_dict: Sequence[Any],
    file_type: str,
    file_format: str,
    dense_slot_index: Sequence[int],
    sparse_slot_index: Sequence[int],
    capacity: int,
    thread_num: int,
    batch_size: int,
    file_list: Sequence[str],
    slots: Sequence[Any],
    name: str | None = None,
) -> ProgramReader:
    """Let a program read variables from files; `start` begins an epoch, and `reset` follows its EOFException.

    Args:
        feed_dict: the variables, in the order of the fields.
        file_type: "plain" or "gzip".
        file_format: "csv": a line is the label and fields of numbers joined by commas, and what is read are the label,
            the dense fields (float32) and the sparse ones (int64, with a LoD). "svm": a line is two words, the label
            and `id:slot` for every id, and what is read are the ids of `slots` (0 where a line has none) and the label.
        dense_slot_index, sparse_slot_index: which fields of a csv line are dense and sparse; the label is field 0.
        capacity: how many batches may wait.
        thread_num: taken for compatibility; lines keep their order here.
        batch_size: how many lines make a batch; the last one may have fewer.
        file_list: the files.
        slots: the slots of svm lines.
        name: what the names of the reader begin with.
    """
    if file_type not in ("plain", "gzip"):
        raise ArgumentError(f"ctr_reader: file_type must be 'plain' or 'gzip', got {file_type!r}")
    if file_format not in ("csv", "svm"):
        raise ArgumentError(f"ctr_reader: file_format must be 'csv' or 'svm', got {file_format!r}")
    fields = [Slot(var.name, tuple(var.shape), var.dtype, var.lod_level) for var in feed_dict]
    reader = ClicksReader(capacity, fields, name, use_double_buffer=False)

    def batches() -> Iterator[list[Any]]:
        lines = _lines(file_list, file_type)
        while rows := list(islice(lines, batch_size)):
            if file_format == "csv":
                yield _csv(rows, dense_slot_index, sparse_slot_index)
            else:
                yield _svm(rows, [str(slot) for slot in slots])

    reader.decorate_tensor_provider(batches)
    write_read(programs.default_main_program().current_block(), reader.name, [var.name for var in feed_dict], reader)
    return reader


def _lines(files: Sequence[str], kind: str) -> Iterator[list[str]]:
    """The words of every line."""
    opener: Callable[..., Any] = gzip.open if kind == "gzip" else open
    for path in files:
        with opener(path, "rt") as file:
            for line in file:
                yield line.rstrip("\n").split(" ")


def _csv(lines: list[list[str]], dense: Sequence[int], sparse: Sequence[int]) -> list[Any]:
    labels = np.array([[int(line[0])] for line in lines], np.int64)
    rows = [np.array([line[i].split(",") for line in lines]).astype(np.float32) for i in dense]
    return [labels, *rows, *(_ragged([line[i].split(",") for line in lines]) for i in sparse)]


def _svm(lines: list[list[str]], slots: list[str]) -> list[Any]:
    by_slot: dict[str, list[list[str]]] = {slot: [[] for _ in lines] for slot in slots}
    for number, line in enumerate(lines):
        for word in line[3:]:
            sign, colon, slot = word.partition(":")
            if colon and slot in by_slot:
                by_slot[slot][number].append(sign)
    labels = np.array([[int(line[2]) > 0] for line in lines], np.int64)
    return [*(_ragged([signs or ["0"] for signs in by_slot[slot]]) for slot in slots), labels]


def _ragged(rows: list[list[str]]) -> LoDTensor:
    ids = np.array([int(sign) for row in rows for sign in row], np.int64).reshape(-1, 1)
    return create_lod_tensor(ids, [[len(row) for row in rows]], CPUPlace())
