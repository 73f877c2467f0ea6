"""Variables in files: which are written, where, and what loading them refuses."""

import os

import numpy as np
import pytest
from tests.saving.models import same, trained

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet


@pytest.mark.parametrize("filename", [None, "all"])
def test_training_goes_on_from_loaded_persistables(tmp_path, filename):
    net = trained()
    fluid.io.save_persistables(net.exe, str(tmp_path), net.main, filename)
    losses = [net.step() for _ in range(3)]
    net.exe.run(net.startup)
    fluid.io.load_persistables(net.exe, str(tmp_path), net.main, filename)
    assert [net.step() for _ in range(3)] == losses


def test_persistables_load_by_the_startup_program_too(tmp_path):
    net = trained()
    before = net.values()
    fluid.io.save_persistables(net.exe, str(tmp_path), net.main)
    net.exe.run(net.startup)
    fluid.io.load_persistables(net.exe, str(tmp_path), net.startup)
    assert same(net.values(), before)


def test_params_are_the_parameters_alone(tmp_path):
    net = trained()
    fluid.io.save_params(net.exe, str(tmp_path), net.main)
    assert sorted(os.listdir(tmp_path)) == ["fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0"]


def test_variables_by_list_and_by_predicate(tmp_path):
    net = trained()
    weight = net.main.global_block().var("fc_0.w_0")
    fluid.io.save_vars(net.exe, str(tmp_path / "list"), net.main, vars=[weight])
    fluid.io.save_vars(net.exe, str(tmp_path / "predicate"), net.main, predicate=lambda v: v.name.endswith("moment1_0"))
    assert os.listdir(tmp_path / "list") == ["fc_0.w_0"]
    assert len(os.listdir(tmp_path / "predicate")) == 4


def test_bytes_in_place_of_files():
    net = trained()
    before = net.values()
    data = fluid.io.save_persistables(net.exe, None, net.main)
    net.step()
    fluid.io.load_persistables(net.exe, None, net.main, filename=data)
    assert same(net.values(), before)


def test_names_with_folders_in_them_make_folders(tmp_path):
    block = fluid.Program().global_block()
    var = block.create_var(name="tower/one/w", shape=[2], dtype="float32", persistable=True)
    fluid.global_scope().var(var.name).get_tensor().set(np.ones(2, "float32"), fluid.CPUPlace())
    fluid.io.save_vars(fluid.Executor(), str(tmp_path), vars=[var])
    assert (tmp_path / "tower" / "one" / "w").is_file()
    fluid.io.load_vars(fluid.Executor(), str(tmp_path), vars=[var])


@pytest.mark.parametrize("name", ["../escape", "/absolute", "a/../../b", ".."])
def test_names_that_lead_out_of_the_folder_are_refused(tmp_path, name):
    block = fluid.Program().global_block()
    var = block.create_var(name=name, shape=[2], dtype="float32", persistable=True)
    fluid.global_scope().var(name).get_tensor().set(np.ones(2, "float32"), fluid.CPUPlace())
    with pytest.raises(EnforceNotMet, match="leads out of the folder"):
        fluid.io.save_vars(fluid.Executor(), str(tmp_path / "in"), vars=[var])
    with pytest.raises(EnforceNotMet, match="leads out of the folder"):
        fluid.io.load_vars(fluid.Executor(), str(tmp_path / "in"), vars=[var])
    assert os.listdir(tmp_path) == ["in"] and not os.listdir(tmp_path / "in")


def test_selected_rows_and_lod_have_their_records(tmp_path):
    """The bytes are those that 1.8.5 wrote for the same values."""
    block = fluid.Program().global_block()
    kind = fluid.core.VarDesc.VarType
    rows = block.create_var(name="rows", type=kind.SELECTED_ROWS, persistable=True)
    ragged = block.create_var(name="ragged", dtype="float32", shape=[3, 2], persistable=True)
    held = fluid.global_scope().var("rows").get_selected_rows()
    held.set_height(7)
    held.set_rows([1, 4, 2])
    held.get_tensor().set(np.arange(6, dtype="float32").reshape(3, 2), fluid.CPUPlace())
    tensor = fluid.global_scope().var("ragged").get_tensor()
    tensor.set(np.arange(6, dtype="float32").reshape(3, 2), fluid.CPUPlace())
    tensor.set_lod([[0, 1, 2], [0, 1, 3]])
    exe = fluid.Executor()
    fluid.io.save_vars(exe, str(tmp_path), vars=[rows, ragged])
    data = "0000000006000000080510031002000000000000803f0000004000004040000080400000a040"
    assert (tmp_path / "rows").read_bytes().hex() == (
        "0000000003000000000000000100000000000000040000000000000002000000000000000700000000000000" + data
    )
    assert (tmp_path / "ragged").read_bytes().hex() == (
        "000000000200000000000000180000000000000000000000000000000100000000000000020000000000000018000000000000000000"
        "000000000000010000000000000003000000000000000000000006000000080510031002000000000000803f00000040000040400000"
        "80400000a040"
    )
    with fluid.scope_guard(fluid.Scope()):
        fluid.io.load_vars(exe, str(tmp_path), vars=[rows, ragged])
        loaded = fluid.global_scope().find_var("rows").get_selected_rows()
        assert (loaded.rows(), loaded.height()) == ([1, 4, 2], 7)
        assert fluid.global_scope().find_var("ragged").get_tensor().lod() == [[0, 1, 2], [0, 1, 3]]


def refused(net, folder, words, **options):
    """Loading says these words and changes nothing."""
    before = net.values()
    with pytest.raises(EnforceNotMet) as error:
        fluid.io.load_persistables(net.exe, str(folder), net.main, **options)
    for word in words:
        assert word in str(error.value)
    assert same(net.values(), before)


def test_a_missing_file_is_named(tmp_path):
    net = trained()
    fluid.io.save_persistables(net.exe, str(tmp_path), net.main)
    (tmp_path / "fc_1.w_0").unlink()
    net.step()
    refused(net, tmp_path, ["there is no file", "fc_1.w_0"])


def test_a_shape_that_does_not_fit_is_named(tmp_path):
    net = trained()
    fluid.io.save_persistables(net.exe, str(tmp_path), net.main)
    (tmp_path / "fc_1.w_0").write_bytes((tmp_path / "fc_0.w_0").read_bytes())
    net.step()
    refused(net, tmp_path, ["fc_1.w_0 has the shape [3, 1] in the program, but [4, 3]"])


def test_a_file_that_holds_more_is_refused(tmp_path):
    net = trained()
    fluid.io.save_persistables(net.exe, str(tmp_path), net.main, filename="all")
    (tmp_path / "all").write_bytes((tmp_path / "all").read_bytes() + b"more")
    net.step()
    refused(net, tmp_path, ["all: 4 bytes are left over"], filename="all")


def test_every_truncation_is_refused(tmp_path):
    net = trained()
    fluid.io.save_persistables(net.exe, str(tmp_path), net.main, filename="all")
    whole = (tmp_path / "all").read_bytes()
    net.step()
    for size in range(len(whole)):
        (tmp_path / "all").write_bytes(whole[:size])
        refused(net, tmp_path, ["all, variable ", "truncated"], filename="all")


def test_saving_before_the_startup_program_says_so(tmp_path):
    net = trained()
    with fluid.scope_guard(fluid.Scope()), pytest.raises(EnforceNotMet, match="run the startup program first"):
        fluid.io.save_persistables(net.exe, str(tmp_path), net.main)
