"""save, load, save_combine and load_combine as operators of a program."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.saving.tensor_file import write_tensor


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


@pytest.mark.parametrize("kinds", [("save", "load"), ("save_combine", "load_combine")])
def test_sequences_keep_their_lod(kinds, tmp_path):
    path = str(tmp_path / "sequences")
    put(a=A)
    fluid.global_scope().find_var("a").get_tensor().set_lod([[0, 1, 2]])
    saving = program_with((kinds[0], {"X": ["a"]}, {}, {"file_path": path}))
    saving.global_block().var("a").lod_level = 1
    fluid.Executor().run(saving)
    fluid.Executor().run(program_with((kinds[1], {}, {"Out": ["b"]}, {"file_path": path})))
    tensor = fluid.global_scope().find_var("b").get_tensor()
    assert np.array_equal(np.array(tensor), A) and tensor.lod() == [[0, 1, 2]]


def test_a_loaded_sequence_is_read_as_one(tmp_path):
    path = str(tmp_path / "sequences")
    tensor = fluid.create_lod_tensor(A, [[1, 1]], fluid.CPUPlace())
    with open(path, "wb") as file:
        write_tensor(file, tensor)
    program = fluid.Program()
    with fluid.program_guard(program):
        made = program.global_block().create_var(name="made", shape=[-1, 3], dtype="float32", lod_level=1)
        program.global_block().append_op(type="load", outputs={"Out": [made]}, attrs={"file_path": path})
        out = fluid.layers.sequence_pool(made, "last")
    (found,) = fluid.Executor().run(program, fetch_list=[out])
    assert np.array_equal(found, A)


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
