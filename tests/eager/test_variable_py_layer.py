"""fluid.PyLayer of 1.4: forward and backward on numpy arrays."""

import runpy

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph
X = np.array([[0.5, -1.0], [2.0, 0.0]], "float32")


class Tanh(fluid.PyLayer):
    def __init__(self):
        super().__init__()

    @staticmethod
    def forward(inputs):
        return np.tanh(inputs[0])

    @staticmethod
    def backward(inputs):
        _, out, dout = inputs
        return np.array(dout) * (1 - np.square(np.array(out)))


class Both(fluid.PyLayer):
    """x * y and x + y, in two outputs."""

    @staticmethod
    def forward(inputs):
        x, y = inputs
        return [x * y, x + y]

    @staticmethod
    def backward(inputs):
        x, y, _, _, product, total = inputs
        return [product * y + total, product * x + total]


def test_the_example_of_the_document():
    with D.guard():
        layer = Tanh()
        x = D.base.to_variable(X)
        outs = layer(x)
        outs[0].backward()
        assert np.allclose(outs[0].numpy(), np.tanh(X))
        assert np.allclose(x.gradient(), 1 - np.tanh(X) ** 2)


def test_it_stands_between_layers():
    with D.guard():
        linear = D.Linear(2, 2)
        grads = []
        for tanh in (lambda v: Tanh()(v)[0], fluid.layers.tanh):
            hidden = tanh(linear(D.to_variable(X)))
            fluid.layers.reduce_sum(hidden * hidden).backward()
            grads.append(linear.weight.gradient())
        assert np.allclose(*grads, atol=1e-6)


def test_several_inputs_and_outputs_of_which_one_is_used():
    with D.guard():
        x, y = D.to_variable(X), D.to_variable(X + 1)
        x.stop_gradient = y.stop_gradient = False
        product, total = Both()(x, y)
        product.backward(retain_graph=True)
        assert np.allclose(x.gradient(), X + 1) and np.allclose(y.gradient(), X)
        (product + total).backward()
        assert np.allclose(x.gradient(), X + 2) and np.allclose(y.gradient(), X + 1)


def test_it_keeps_no_graph_in_no_grad():
    with D.guard(), D.no_grad():
        x = D.to_variable(X)
        x.stop_gradient = False
        assert Tanh()(x)[0].stop_gradient


def test_wrong_results_are_told():
    class Few(fluid.PyLayer):
        forward = staticmethod(lambda inputs: inputs[0] * inputs[1])
        backward = staticmethod(lambda inputs: inputs[-1])

    class Small(fluid.PyLayer):
        forward = staticmethod(lambda inputs: inputs[0])
        backward = staticmethod(lambda inputs: np.ones(1, "float32"))

    with D.guard():
        x = D.to_variable(X)
        with pytest.raises(EnforceNotMet, match="Few.backward must return 2 gradients, got 1"):
            Few()(x, x)[0].backward()
        with pytest.raises(EnforceNotMet, match=r"input 0 has the shape \[2, 2\], its gradient \[1\]"):
            Small()(x)[0].backward()


def test_the_gradient_of_its_gradient_is_refused():
    with D.guard():
        x = D.to_variable(X)
        x.stop_gradient = False
        with pytest.raises(EnforceNotMet, match="cannot go through Tanh, whose gradient is Python code"):
            D.grad(Tanh()(x)[0], x, create_graph=True)
        assert np.allclose(D.grad(Tanh()(x)[0], x)[0].numpy(), 1 - np.tanh(X) ** 2)


def test_a_static_program_is_told_to_use_py_func():
    with pytest.raises(EnforceNotMet, match="use fluid.layers.py_func in a program"):
        Tanh()(fluid.data("x", [2]))


@pytest.mark.parametrize("error", [ValueError, TypeError, IndexError, RuntimeError, KeyError])
@pytest.mark.parametrize("where", ["forward", "backward"])
def test_what_its_functions_raise_comes_through(error, where):
    def fail(inputs):
        raise error("of mine")

    class Failing(Tanh):
        pass

    setattr(Failing, where, staticmethod(fail))
    with D.guard():
        x = D.to_variable(X)
        x.stop_gradient = False
        with pytest.raises(error, match="of mine") as raised:
            Failing()(x)[0].backward()
        assert type(raised.value) is error


def test_methods_that_are_not_static_are_told():
    class Bound(Tanh):
        def forward(self, inputs):
            return inputs[0]

    with D.guard(), pytest.raises(EnforceNotMet, match="Bound.forward must be a static method that takes one list"):
        Bound()(D.to_variable(X))


def test_a_backward_function_that_takes_other_values_is_told():
    with D.guard():
        x, out = D.to_variable(X), D.to_variable(X * 0)
        x.stop_gradient = False
        y = fluid.layers.py_func(lambda a: np.array(a), x, out, lambda dout: np.array(dout))
        with pytest.raises(EnforceNotMet, match=r"<lambda>\(dout\) is called with 3 values: too many"):
            y.backward()


def test_an_exception_of_the_user_comes_through_from_any_folder(tmp_path):
    """Whose exception it is does not depend on what the user's folders are called."""
    folder = tmp_path / "refluid" / "torch-lab"
    folder.mkdir(parents=True)
    (folder / "mine.py").write_text("def fail(inputs):\n    raise RuntimeError('of mine')\n")
    mine = runpy.run_path(str(folder / "mine.py"))

    class Failing(Tanh):
        forward = staticmethod(mine["fail"])

    with D.guard(), pytest.raises(RuntimeError, match="of mine") as raised:
        Failing()(D.to_variable(X))
    assert type(raised.value) is RuntimeError
