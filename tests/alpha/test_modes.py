"""The top namespace: modes, programs, and what runs them, as 2.0-alpha spells them."""

import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
from refluid.core.errors import ModeError

X = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")


@pytest.fixture
def imperative():
    paddle.enable_imperative()
    yield
    paddle.disable_imperative()


def test_the_imperative_mode_is_switched_on_and_off():
    assert not paddle.in_imperative_mode()
    paddle.enable_imperative(paddle.CPUPlace())
    assert paddle.in_imperative_mode()
    x = paddle.imperative.to_variable(X)
    assert paddle.mean(x).numpy().tolist() == [2.5]
    paddle.disable_imperative()
    assert not paddle.in_imperative_mode()


def test_an_input_that_is_declared_in_the_imperative_mode_belongs_to_a_program(imperative):
    x = paddle.data("x", [None, 2])
    assert x.shape == (-1, 2) and x.block.program is paddle.default_main_program()
    with pytest.raises(ModeError, match="a variable of a static program, but the imperative mode is on"):
        paddle.mean(x)


def test_a_program_is_built_and_run():
    main, startup = paddle.Program(), paddle.Program()
    with paddle.program_guard(main, startup):
        x = paddle.data("x", [None, 2])
        w = paddle.create_parameter([2, 1], "float32")
        y = paddle.matmul(x, w)
        paddle.append_backward(paddle.mean(y))
    exe = paddle.Executor(paddle.CPUPlace())
    with paddle.scope_guard(paddle.static.Scope()):
        exe.run(startup)
        out, grad = exe.run(main, {"x": X}, [y, w.name + "@GRAD"])
        value = np.array(paddle.global_scope().find_var(w.name).get_tensor())
    np.testing.assert_allclose(out, X @ value, rtol=1e-6)
    np.testing.assert_allclose(grad, X.mean(0).reshape(2, 1))


def test_programs_are_saved_and_loaded(tmp_path):
    w = paddle.create_parameter([2, 2], "float32")
    exe = paddle.Executor()
    exe.run(paddle.default_startup_program())
    before = np.array(paddle.global_scope().find_var(w.name).get_tensor())
    paddle.save(paddle.default_main_program(), str(tmp_path / "model"))
    exe.run(paddle.default_startup_program())
    paddle.load(paddle.default_main_program(), str(tmp_path / "model"), exe)
    np.testing.assert_array_equal(np.array(paddle.global_scope().find_var(w.name).get_tensor()), before)


def test_an_inference_model_goes_through_paddle_static(tmp_path):
    x = paddle.static.data("x", [None, 2])
    y = paddle.scale(x, 2.0, bias=1.0)
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    paddle.static.save_inference_model(str(tmp_path), ["x"], [y], exe)
    program, feeds, fetches = paddle.static.load_inference_model(str(tmp_path), exe)
    (out,) = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)
    np.testing.assert_array_equal(out, 2 * X + 1)


def test_gradients_of_chosen_inputs():
    x = paddle.data("x", [2, 2])
    x.stop_gradient = False
    (grad,) = paddle.gradients([paddle.square(x)], [x])
    (out,) = paddle.Executor().run(feed={"x": X}, fetch_list=[grad])
    np.testing.assert_array_equal(out, 2 * X)


def test_print_shows_a_variable_and_gives_it_back(imperative, capsys):
    x = paddle.imperative.to_variable(X)
    same = paddle.Print(x, message="here", print_tensor_layout=False, print_tensor_lod=False)
    np.testing.assert_array_equal(same.numpy(), X)
    shown = capsys.readouterr().out
    assert "here" in shown and "1,2,3,4," in shown


def test_py_func_in_a_program():
    x = paddle.data("x", [2, 2])
    out = paddle.default_main_program().current_block().create_var(name="out", shape=[2, 2], dtype="float32")
    paddle.py_func(lambda x: np.array(x) * 3, x, out)
    (tripled,) = paddle.Executor().run(feed={"x": X}, fetch_list=[out])
    np.testing.assert_array_equal(tripled, 3 * X)


def test_readers_of_paddle_io():
    samples = lambda: iter(range(10))  # noqa: E731
    assert list(paddle.io.batch(paddle.io.firstn(samples, 5), 2)()) == [[0, 1], [2, 3], [4]]
    assert sorted(paddle.shuffle(samples, 4)()) == list(range(10))


def test_the_release_and_its_parts(capsys):
    version = paddle.version
    assert paddle.__version__ == version.full_version == ".".join([version.major, version.minor, version.patch])
    version.show()
    assert f"full_version: {paddle.__version__}" in capsys.readouterr().out
    assert version.mkl() == version.with_mkl and version.mkl() in ("ON", "OFF")


def test_the_headers_of_the_prediction_interface_are_where_sysconfig_says():
    """The library beside them is built and used by tests/cpp."""
    folder = Path(paddle.sysconfig.get_include())
    names = ["paddle_inference_api.h", "paddle/include/paddle_inference_api.h"]
    assert all((folder / name).is_file() for name in names)


def test_scipy_is_looked_for_on_windows_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.io", None)  # as if it were not there
    paddle.check_import_scipy("posix")
    with pytest.raises(ImportError, match="SciPy cannot be imported"):
        paddle.check_import_scipy("nt")
