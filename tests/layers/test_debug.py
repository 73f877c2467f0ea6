import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, run

from refluid.autodiff.backward import append_backward
from refluid.core.errors import ArgumentError
from refluid.ir.program import default_main_program
from refluid.layers.debug import Print, py_func
from refluid.layers.reduce import reduce_sum
from refluid.layers.unary import square

X = np.array([[1.0, 2.0]], "float32")


def test_print_shows_a_value_and_its_gradient(capfd):
    (x,) = declare(x=X)
    shown = Print(x, message="look:", summarize=1)
    append_backward(reduce_sum(square(shown)))
    run(["x@GRAD"], x=X)
    text = capfd.readouterr().out
    assert "look:" in text and "data: 1,\n" in text and "data: 2,\n" in text and "Tensor[x@GRAD]" in text
    assert operators()[0] == "print: x -> print_x_0.tmp_0"


def test_print_shows_at_once_in_the_imperative_mode(capfd):
    both(lambda x: Print(x, print_phase="forward"), x=X)
    assert capfd.readouterr().out.count("data: 1,2,") == 2


def test_a_python_function_is_part_of_a_program_and_of_its_gradient():
    (x,) = declare(x=X)
    out = default_main_program().global_block().create_var(name="cubes", shape=[-1, 2], dtype="float32")
    given = py_func(lambda a: np.array(a) ** 3, x, out, lambda a, g: 3 * np.array(a) ** 2 * np.array(g), out)
    assert given is out
    append_backward(reduce_sum(out))
    cubes, grad = run([out, "x@GRAD"], x=X)
    assert np.array(cubes).tolist() == [[1, 8]] and np.array(grad).tolist() == [[3, 12]]


def test_refusals():
    (x,) = declare(x=X)
    with pytest.raises(ArgumentError, match="Print: print_phase must be 'forward', 'backward' or 'both', got 'never'"):
        Print(x, print_phase="never")
    with pytest.raises(ArgumentError, match="py_func: func must be a function, got int"):
        py_func(3, x, x)
    with pytest.raises(ArgumentError, match="py_func: x and out must hold Variables, got str"):
        py_func(abs, x, "out")
