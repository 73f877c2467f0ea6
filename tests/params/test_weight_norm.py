"""Weights of direction and length."""

import numpy as np
import pytest

from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.core.places import CPUPlace
from refluid.eager.base import guard, no_grad, to_variable
from refluid.executor.executor import Executor
from refluid.ir.program import Program, program_guard
from refluid.layers.data import data
from refluid.layers.fc import fc
from refluid.nn.conv import Conv2D
from refluid.nn.linear import Linear
from refluid.ops.math.mean import mean
from refluid.ops.math.unary import square
from refluid.optim.sgd import SGD
from refluid.params.attr import ParamAttr, WeightNormParamAttr
from refluid.params.create import make_parameter
from refluid.params.initializer import NumpyArrayInitializer
from refluid.tensor.scope import Scope, global_scope, scope_guard

X = np.random.RandomState(0).uniform(-1, 1, [5, 4]).astype("float32")
W = np.random.RandomState(1).uniform(-1, 1, [4, 3]).astype("float32")


def split(dim):
    return WeightNormParamAttr(dim=dim, name="w", initializer=NumpyArrayInitializer(W))


def normalised(v, g, dim):
    axis = None if dim is None else tuple(i for i in range(v.ndim) if i != dim)
    return g * v / np.sqrt((v**2).sum(axis=axis, keepdims=True))


@pytest.mark.parametrize("dim", [None, 0, 1])
def test_both_modes_train_alike(dim):
    main, startup = Program(), Program()
    with unique_name.guard(), program_guard(main, startup), scope_guard(Scope()):
        loss = mean(square(fc(data("x", [4]), 3, param_attr=split(dim), bias_attr=False)))
        SGD(0.5).minimize(loss)
        executor = Executor(CPUPlace())
        executor.run(startup)
        expected = [float(executor.run(main, {"x": X}, [loss])[0][0]) for _ in range(4)]
        parts = [np.array(global_scope().find_var(f"w_{part}").get_tensor()) for part in "vg"]
    with guard(), unique_name.guard():
        layer = Linear(4, 3, param_attr=split(dim), bias_attr=False)
        np.testing.assert_allclose(layer.weight.numpy(), W, rtol=1e-6)
        assert [name for name, _ in layer.named_parameters()] == ["weight_v", "weight_g"]
        optimizer = SGD(0.5, parameter_list=layer.parameters())
        losses = []
        for _ in range(4):
            loss = mean(square(layer(to_variable(X))))
            loss.backward()
            optimizer.minimize(loss)
            losses.append(float(loss))
        np.testing.assert_allclose(losses, expected, rtol=1e-5)
        for part, value in zip("vg", parts, strict=True):
            np.testing.assert_allclose(layer.state_dict()[f"weight_{part}"].numpy(), value, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(layer.weight.numpy(), normalised(*parts, dim), rtol=1e-5, atol=1e-6)


def test_the_weight_follows_its_parts():
    with guard(), unique_name.guard():
        layer = Linear(4, 3, param_attr=split(1), bias_attr=False)
        layer.weight_g.set_value(np.array([[1, 2, 3]], "float32"))
        np.testing.assert_allclose(np.linalg.norm(layer.weight.numpy(), axis=0), [1, 2, 3], rtol=1e-6)
        with no_grad():
            assert layer(to_variable(X)).stop_gradient
        assert not layer(to_variable(X)).stop_gradient


def test_a_convolution_lays_its_direction_out_as_it_likes():
    with guard(), unique_name.guard():
        layer = Conv2D(3, 2, 3, param_attr=WeightNormParamAttr(dim=0))
        v, g = layer.weight_v.numpy(), layer.weight_g.numpy()
        assert g.shape == (2, 1, 1, 1)
        np.testing.assert_allclose(layer.weight.numpy(), normalised(v, g, 0), rtol=1e-5, atol=1e-6)


def test_an_axis_that_is_none_is_refused():
    with program_guard(Program(), Program()):
        with pytest.raises(ArgumentError, match=r"dim must be an axis of the shape \[4, 3\] of w, got 2"):
            make_parameter(WeightNormParamAttr(dim=2, name="w"), [4, 3])
        assert make_parameter(ParamAttr(name="plain"), [4, 3]).name == "plain"


def test_settings_go_by_position_as_in_1_8():
    attr = WeightNormParamAttr(0, "w", None, 2.0, None, False, True)
    assert (attr.dim, attr.name, attr.learning_rate, attr.trainable) == (0, "w", 2.0, False)
    assert attr.do_model_average and attr.gradient_clip is None
    assert not WeightNormParamAttr().do_model_average
    plain = ParamAttr("w", None, 1.0, None, True, False)
    assert not plain.do_model_average and plain.gradient_clip is None
