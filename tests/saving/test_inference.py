"""Inference models: what they hold, and running them elsewhere."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tests.saving.models import same, trained

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet


def test_a_model_holds_what_the_targets_need_and_nothing_else(tmp_path):
    net = trained()
    names = fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main)
    assert sorted(os.listdir(tmp_path)) == ["__model__", "fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0"]
    program, feeds, targets = fluid.io.load_inference_model(str(tmp_path), net.exe)
    assert feeds == ["x"] and [var.name for var in targets] == names == ["save_infer_model/scale_0.tmp_0"]
    assert [op.type for op in program.global_block().ops] == [
        "mul", "elementwise_add", "tanh", "mul", "elementwise_add", "scale",
    ]  # fmt: skip


def test_the_users_program_stays_as_it_is(tmp_path):
    net = trained()
    before, version = str(net.main), net.main.version
    fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main)
    assert str(net.main) == before and net.main.version == version


@pytest.mark.parametrize("files", [{}, {"model_filename": "m", "params_filename": "p"}])
def test_another_process_predicts_without_the_code_that_trained(tmp_path, files):
    net = trained()
    fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main, **files)
    rows = np.linspace(-2, 2, 28, dtype="float32").reshape(7, 4)
    expected = net.exe.run(net.main.clone(for_test=True), feed={"x": rows, "y": rows[:, :1]}, fetch_list=[net.out])[0]
    script = f"""
import numpy as np, paddle.fluid as fluid
exe = fluid.Executor(fluid.CPUPlace())
program, feeds, targets = fluid.io.load_inference_model({str(tmp_path)!r}, exe, **{files!r})
rows = np.linspace(-2, 2, 28, dtype="float32").reshape(7, 4)
for part in (rows, rows[:1], rows[2:5]):
    print(exe.run(program, feed={{feeds[0]: part}}, fetch_list=targets)[0].ravel().tolist())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    whole, first, middle = (np.array(eval(line), "float32") for line in run.stdout.splitlines())
    assert np.allclose(whole, expected.ravel(), atol=1e-6)
    assert np.allclose(first, whole[:1], atol=1e-6) and np.allclose(middle, whole[2:5], atol=1e-6)


def test_a_model_in_memory(tmp_path):
    net = trained()
    fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main, "m", "p")
    with fluid.scope_guard(fluid.Scope()):
        program, _feeds, targets = fluid.io.load_inference_model(
            None, net.exe, (tmp_path / "m").read_bytes(), (tmp_path / "p").read_bytes()
        )
        assert net.exe.run(program, feed={"x": net.feed["x"]}, fetch_list=targets)[0].shape == (5, 1)


def test_the_program_alone(tmp_path):
    net = trained()
    with pytest.warns(UserWarning, match="program_only"):
        fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main, program_only=True)
    assert os.listdir(tmp_path) == ["__model__"]


def test_the_whole_program_when_it_is_not_for_deployment(tmp_path):
    net = trained()
    fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main, export_for_deployment=False)
    program = fluid.Program.parse_from_string((tmp_path / "__model__.main_program").read_bytes())
    assert [op.type for op in program.global_block().ops] == [op.type for op in net.main.global_block().ops]
    assert (tmp_path / "fc_0.w_0_moment1_0").exists()


def test_saving_a_loaded_model_again(tmp_path):
    net = trained()
    fluid.io.save_inference_model(str(tmp_path / "a"), ["x"], [net.out], net.exe, net.main)
    program, feeds, targets = fluid.io.load_inference_model(str(tmp_path / "a"), net.exe)
    first = net.exe.run(program, feed={"x": net.feed["x"]}, fetch_list=targets)[0]
    fluid.io.save_inference_model(str(tmp_path / "b"), feeds, targets, net.exe, program)
    program, feeds, targets = fluid.io.load_inference_model(str(tmp_path / "b"), net.exe)
    assert np.array_equal(net.exe.run(program, feed={"x": net.feed["x"]}, fetch_list=targets)[0], first)


@pytest.mark.parametrize(
    ("feeds", "targets", "words"),
    [
        (["nothing"], None, "the program has no variable 'nothing' to feed"),
        ([3], None, "feeded_var_names must be a list of names"),
        (["x"], [], "target_vars must be a list of variables"),
        (["x"], ["fc_0.tmp_0"], "target_vars must be a list of variables"),
    ],
)
def test_what_cannot_be_saved_is_refused(tmp_path, feeds, targets, words):
    net = trained()
    with pytest.raises(EnforceNotMet, match=words):
        fluid.io.save_inference_model(
            str(tmp_path), feeds, [net.out] if targets is None else targets, net.exe, net.main
        )
    assert not os.listdir(tmp_path)


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(EnforceNotMet, match="there is no folder"):
        fluid.io.load_inference_model(str(tmp_path / "no"), fluid.Executor())
    with pytest.raises(EnforceNotMet, match="there is no file .*__model__"):
        fluid.io.load_inference_model(str(tmp_path), fluid.Executor())


def test_a_foreign_file_changes_nothing(tmp_path):
    net = trained()
    fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main)
    before = net.values()
    (tmp_path / "__model__").write_bytes(b"this is a poem, not a program")
    with pytest.raises(EnforceNotMet, match="__model__: this is not a program file"):
        fluid.io.load_inference_model(str(tmp_path), net.exe)
    assert same(net.values(), before)


def test_loading_works_while_the_imperative_mode_is_on(tmp_path):
    net = trained()
    fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main)
    with fluid.dygraph.guard():
        program, _feeds, targets = fluid.io.load_inference_model(str(tmp_path), net.exe)
        assert net.exe.run(program, feed={"x": net.feed["x"]}, fetch_list=targets)[0].shape == (5, 1)


def test_a_target_may_be_a_feed(tmp_path):
    x = fluid.data("x", [None, 4], "float32")
    exe = fluid.Executor(fluid.CPUPlace())
    fluid.io.save_inference_model(str(tmp_path), ["x"], [x], exe)
    program, feeds, targets = fluid.io.load_inference_model(str(tmp_path), exe)
    value = np.ones((2, 4), "float32")
    assert feeds == ["x"]
    assert np.array_equal(exe.run(program, feed={"x": value}, fetch_list=targets)[0], value)


def test_a_feed_that_no_target_needs_is_still_a_feed(tmp_path):
    x, y = fluid.data("x", [None, 4], "float32"), fluid.data("y", [None, 1], "int64")
    fluid.layers.cast(y, "float32")
    exe = fluid.Executor(fluid.CPUPlace())
    fluid.io.save_inference_model(str(tmp_path), ["x", "y"], [fluid.layers.relu(x)], exe)
    program, feeds, targets = fluid.io.load_inference_model(str(tmp_path), exe)
    assert feeds == ["x", "y"]
    feed = {"x": np.ones((2, 4), "float32"), "y": np.ones((2, 1), "int64")}
    assert np.array_equal(exe.run(program, feed=feed, fetch_list=targets)[0], feed["x"])


def test_a_target_may_be_a_bool(tmp_path):
    x = fluid.data("x", [None, 2], "float32")
    exe = fluid.Executor(fluid.CPUPlace())
    fluid.io.save_inference_model(str(tmp_path), ["x"], [fluid.layers.less_than(x, x * 2.0)], exe)
    program, _, targets = fluid.io.load_inference_model(str(tmp_path), exe)
    (out,) = exe.run(program, feed={"x": np.array([[1.0, -1.0]], "float32")}, fetch_list=targets)
    assert out.dtype == bool and out.tolist() == [[True, False]]


def test_operators_that_ask_servers_ask_those_that_are_named_when_loading(tmp_path):
    ids = fluid.data("ids", [None, 1], "int64")
    block = fluid.default_main_program().global_block()
    rows = block.create_var(name="rows", shape=[-1, 4], dtype="float32")
    block.append_op("prefetch", {"X": [ids]}, {"Out": [rows]}, {"epmap": ["127.0.0.1:6174"]})
    exe = fluid.Executor(fluid.CPUPlace())
    fluid.io.save_inference_model(str(tmp_path), ["ids"], [rows], exe)
    for asked in (None, ["127.0.0.1:2023"]):
        program, _, _ = fluid.io.load_inference_model(str(tmp_path), exe, pserver_endpoints=asked)
        (prefetch,) = [op for op in program.global_block().ops if op.type == "prefetch"]
        assert prefetch.attr("epmap") == (asked or ["127.0.0.1:6174"])


def test_servers_may_be_named_for_a_model_that_asks_none(tmp_path):
    net = trained()
    fluid.io.save_inference_model(str(tmp_path), ["x"], [net.out], net.exe, net.main)
    plain, named = (
        fluid.io.load_inference_model(str(tmp_path), net.exe, pserver_endpoints=endpoints)[0]
        for endpoints in (None, ["127.0.0.1:2023", "127.0.0.1:2024"])
    )
    assert str(plain) == str(named)
