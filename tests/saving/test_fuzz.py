"""Readers of all formats against damaged files: an error of ours or values, never a crash, a hang or much memory.

10,000 seeded mutations of a good file for each format.
"""

import io
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from tests.saving.models import trained

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.saving.inference import strip_feed_and_fetch
from refluid.saving.pickle_reader import read_pickle
from refluid.saving.pickle_writer import write_pickle
from refluid.saving.program_file import from_bytes
from refluid.saving.tensor_file import RecordReader, write_rows, write_tensor
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.selected_rows import SelectedRows

COUNT = 10_000
MEASURED = 20  # memory is measured for one in so many: measuring takes time


def mutated(data: bytes, random: np.random.RandomState) -> bytes:
    """One to four changes: a byte, a bit, a cut, a part repeated, removed or overwritten by another, large numbers."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 5)):
        if not changed:
            break
        at = random.randint(len(changed))
        size = random.randint(1, 16)
        kind = random.randint(7)
        if kind == 0:
            changed[at] = random.randint(256)
        elif kind == 1:
            changed[at] ^= 1 << random.randint(8)
        elif kind == 2:
            del changed[at:]
        elif kind == 3:
            changed[at:at] = changed[at : at + size]
        elif kind == 4:
            del changed[at : at + size]
        elif kind == 5:
            source = random.randint(len(changed))
            changed[at : at + size] = changed[source : source + size]
        else:
            changed[at : at + 4] = random.choice(
                [b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\xff\xff\xff\x7f", b"\0\0\0\0"]
            )
    return bytes(changed)


def fuzz(data: bytes, read: Callable[[bytes], object], factor: float = 2, constant: int = 200_000) -> int:
    """How many mutations were refused; whatever is not an error of ours passes through and fails the test."""
    random = np.random.RandomState(20)
    refused = 0
    for round in range(COUNT):
        changed = mutated(data, random)
        measured = round % MEASURED == 0
        if measured:
            tracemalloc.start()
        try:
            read(changed)
        except EnforceNotMet:
            refused += 1
        finally:
            if measured:
                _, peak = tracemalloc.get_traced_memory()
                tracemalloc.stop()
                assert peak <= factor * len(changed) + constant
    return refused


def as_file(write: Callable, value: object) -> bytes:
    file = io.BytesIO()
    write(file, value)
    return file.getvalue()


def test_tensor_files():
    tensor = LoDTensor()
    tensor.set(np.arange(600, dtype="float32").reshape(6, 100), fluid.CPUPlace())
    tensor.set_lod([[0, 2, 3], [0, 1, 4, 6]])
    refused = fuzz(as_file(write_tensor, tensor), lambda data: RecordReader(io.BytesIO(data), "w").tensor("w"))
    assert refused > COUNT // 10


def test_a_large_tensor_takes_no_more_than_twice_its_file():
    tensor = LoDTensor()
    tensor.set(np.zeros((1000, 1000), "float32"), fluid.CPUPlace())
    data = as_file(write_tensor, tensor)
    tracemalloc.start()
    RecordReader(io.BytesIO(data), "w").tensor("w")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.1 * len(data)


def test_files_of_selected_rows():
    rows = SelectedRows([1, 4, 2], 7)
    rows.get_tensor().set(np.arange(30, dtype="float32").reshape(3, 10), fluid.CPUPlace())
    fuzz(as_file(write_rows, rows), lambda data: RecordReader(io.BytesIO(data), "r").rows("r"))


def a_state() -> dict:
    return {
        "weight": np.random.RandomState(0).rand(3, 20).astype("float32"),
        "table": np.arange(3000),
        "LR_Scheduler": {"step_num": 3, "rates": [0.1, (1, 2)]},
        "StructuredToParameterName@@": {"weight": "linear_0.w_0"},
    }


def test_state_files():
    refused = fuzz(as_file(lambda file, state: write_pickle(state, file), a_state()), read_state)
    assert refused > COUNT // 10


def read_state(data: bytes) -> object:
    return read_pickle(io.BytesIO(data), "net.pdparams")


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_a_large_state_takes_no_more_than_twice_its_file(dtype):
    noise = np.random.RandomState(0).randint(0, 256, 4_000_000).astype("uint8").view(dtype)
    data = as_file(lambda file, state: write_pickle(state, file), {"w": noise})
    tracemalloc.start()
    state = read_state(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(state["w"].view("uint8"), noise.view("uint8")) and peak < 2 * len(data)


def test_program_files():
    net = trained(steps=0)
    data = net.main.clone(for_test=True).desc.serialize_to_string()

    def read(changed: bytes) -> None:
        program = from_bytes(changed, "__model__")
        strip_feed_and_fetch(program)
        for block in program.blocks:
            for op in block.ops:
                for name in (*op.input_arg_names, *op.output_arg_names):
                    block.find_var(name)

    # A program in memory is objects, not bytes: about two hundred times its file.
    assert fuzz(data, read, factor=200) > COUNT // 10
