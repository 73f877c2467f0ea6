"""Whole loads of damaged files: an error of ours that names the file and changes nothing, or values.

The readers below them are fuzzed in test_fuzz.py, with more files.
"""

import numpy as np
import pytest
from tests.saving.models import trained
from tests.saving.test_fuzz import mutated

import paddle.fluid as fluid
from refluid import checkpoint
from refluid.core.errors import EnforceNotMet

COUNT = 2_000


def fuzz_load(path, load, values):
    """Mutate the file and load it; what is refused must leave the values as they were. How many were refused."""
    data, random = path.read_bytes(), np.random.RandomState(21)
    refused = 0
    before = values()
    for _ in range(COUNT):
        path.write_bytes(mutated(data, random))
        try:
            load()
            before = values()
        except EnforceNotMet as error:
            assert str(path) in str(error)
            assert bits(values()) == bits(before)
            refused += 1
    return refused


def bits(values):
    return {name: value.tobytes() for name, value in values.items()}


def test_combined_files(tmp_path):
    net = trained()
    fluid.io.save_persistables(net.exe, str(tmp_path), net.main, filename="all")
    load = lambda: fluid.io.load_persistables(net.exe, str(tmp_path), net.main, filename="all")  # noqa: E731
    assert fuzz_load(tmp_path / "all", load, net.values) > COUNT // 10


def test_program_states(tmp_path):
    net = trained()
    fluid.save(net.main, str(tmp_path / "net"))
    load = lambda: fluid.load(net.main, str(tmp_path / "net"), net.exe)  # noqa: E731
    assert fuzz_load(tmp_path / "net.pdparams", load, net.values) > COUNT // 10


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_checkpoints(tmp_path):
    net = trained()
    path = tmp_path / "checkpoint"
    checkpoint.save(str(path), program=net.main, epoch=3, extra={"losses": [1.0, 2.0]})
    load = lambda: checkpoint.load(str(path), program=net.main)  # noqa: E731
    assert fuzz_load(path, load, net.values) > COUNT // 10
