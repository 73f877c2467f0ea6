"""ctr_reader of Fluid 1.5 reads lines of clicks inside a program."""

import gzip

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.contrib.reader.ctr_reader import ctr_reader


@pytest.fixture(autouse=True)
def programs():
    with (
        fluid.program_guard(fluid.Program(), fluid.Program()),
        fluid.scope_guard(fluid.Scope()),
        fluid.unique_name.guard(),
    ):
        yield


def epoch(reader, fetch_list):
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    found = []
    reader.start()
    with pytest.raises(fluid.core.EOFException):
        while True:
            values = exe.run(fetch_list=fetch_list, return_numpy=False)
            found.append([(np.array(v).tolist(), v.recursive_sequence_lengths()) for v in values])
    reader.reset()
    return found


def test_lines_of_fields_are_read_epoch_by_epoch(tmp_path):
    path = tmp_path / "clicks"
    path.write_text("1 0.5,1.5 3,4 7\n0 2.5,3.5 5 8,9\n1 4.5,5.5 6 1\n")
    label, dense = fluid.data("label", [None, 1], "int64"), fluid.data("dense", [None, 2])
    one, two = (fluid.data(name, [None, 1], "int64", lod_level=1) for name in ("one", "two"))
    fields = [label, dense, one, two]
    reader = ctr_reader(fields, "plain", "csv", [1], [2, 3], 4, 1, 2, [str(path)], [])
    assert reader.name.startswith("create_ctr_reader")
    wanted = [
        [([[1], [0]], []), ([[0.5, 1.5], [2.5, 3.5]], []), ([[3], [4], [5]], [[2, 1]]), ([[7], [8], [9]], [[1, 2]])],
        [([[1]], []), ([[4.5, 5.5]], []), ([[6]], [[1]]), ([[1]], [[1]])],
    ]
    assert epoch(reader, fields) == wanted
    assert epoch(reader, fields) == wanted


def test_lines_of_ids_with_slots_are_read_from_packed_files(tmp_path):
    path = tmp_path / "clicks.gz"
    with gzip.open(path, "wt") as file:
        file.write("a b 1 11:x 12:x 13:y 14:z\na b 0 15:y\n")
    x, y = (fluid.data(name, [None, 1], "int64", lod_level=1) for name in ("x", "y"))
    label = fluid.data("label", [None, 1], "int64")
    reader = ctr_reader([x, y, label], "gzip", "svm", [], [], 4, 1, 8, [str(path)], ["x", "y"])
    assert epoch(reader, [x, y, label]) == [[([[11], [12], [0]], [[2, 1]]), ([[13], [15]], [[1, 1]]), ([[1], [0]], [])]]


def test_a_format_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="file_format must be 'csv' or 'svm', got 'json'"):
        ctr_reader([], "plain", "json", [], [], 4, 1, 8, [], [])
