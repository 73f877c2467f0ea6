"""save, load, save_combine and load_combine as operators of a program."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet


def program_with(*ops):
    """A program of one operator per entry: (type, inputs, outputs, attrs); all variables are persistable."""
    program = fluid.Program()
    block = program.global_block()
    for kind, inputs, outputs, attrs in ops:
        for name in [n for names in (*inputs.values(), *outputs.values()) for n in names]:
            block.create_var(name=name, shape=[2, 3], dtype="float32", persistable=True)
        block.append_op(type=kind, inputs=inputs, outputs=outputs, attrs=attrs)
    return program


def put(**values):
    for name, value in values.items():
        fluid.global_scope().var(name).get_tensor().set(value, fluid.CPUPlace())


def got(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor())


A, B = np.arange(6, dtype="float32").reshape(2, 3), np.ones((2, 3), "float32")


def test_one_variable_through_a_file(tmp_path):
    path = str(tmp_path / "deep" / "a")
    put(a=A)
    fluid.Executor().run(program_with(("save", {"X": ["a"]}, {}, {"file_path": path})))
    fluid.Executor().run(program_with(("load", {}, {"Out": ["b"]}, {"file_path": path})))
    assert np.array_equal(got("b"), A)


def test_several_variables_through_one_file(tmp_path):
    path = str(tmp_path / "all")
    put(a=A, b=B)
    fluid.Executor().run(program_with(("save_combine", {"X": ["b", "a"]}, {}, {"file_path": path})))
    fluid.Executor().run(program_with(("load_combine", {}, {"Out": ["c", "d"]}, {"file_path": path})))
    assert np.array_equal(got("c"), B) and np.array_equal(got("d"), A)


def test_half_precision_files(tmp_path):
    path = str(tmp_path / "half")
    put(a=A)
    fluid.Executor().run(program_with(("save", {"X": ["a"]}, {}, {"file_path": path, "save_as_fp16": True})))
    assert (tmp_path / "half").stat().st_size == 26 + 12
    fluid.Executor().run(program_with(("load", {}, {"Out": ["b"]}, {"file_path": path})))
    assert got("b").dtype == np.float16


def test_a_part_of_a_file(tmp_path):
    path = str(tmp_path / "a")
    put(a=A)
    fluid.Executor().run(program_with(("save", {"X": ["a"]}, {}, {"file_path": path})))
    part = {"file_path": path, "seek": 3, "shape": [1, 3]}
    fluid.Executor().run(program_with(("load", {}, {"Out": ["b"]}, part)))
    assert np.array_equal(got("b"), A[1:])


def test_nothing_is_overwritten_against_ones_will(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"mine")
    put(a=A)
    with pytest.raises(EnforceNotMet, match="exists, and overwrite is off"):
        fluid.Executor().run(program_with(("save", {"X": ["a"]}, {}, {"file_path": str(path), "overwrite": False})))
    assert path.read_bytes() == b"mine"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(EnforceNotMet, match="load: there is no file .*nowhere"):
        fluid.Executor().run(program_with(("load", {}, {"Out": ["b"]}, {"file_path": str(tmp_path / "nowhere")})))
