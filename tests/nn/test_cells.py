"""LSTMCell and GRUCell of 2.0-alpha, beside torch, whose parameters cuDNN's layout is too."""

import numpy as np
import pytest
import torch

import paddle.fluid as fluid

D = fluid.dygraph
RANDOM = np.random.RandomState(0)
X, H, C = (RANDOM.rand(3, width) for width in (4, 5, 5))


def filled(cell, theirs):
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        value = RANDOM.rand(*getattr(cell, f"_{name}").shape)
        getattr(cell, f"_{name}").set_value(value)
        getattr(theirs, name).data = torch.tensor(value)
    return cell


def test_an_lstm_cell_and_its_gradients_are_torchs():
    theirs = torch.nn.LSTMCell(4, 5).double()
    with D.guard():
        cell = filled(D.LSTMCell(5, 4), theirs)
        hidden, state = cell(*map(D.to_variable, (X, H, C)))
        (hidden * 2 + state).backward()
        gradients = [cell._weight_ih.gradient(), cell._bias_hh.gradient()]
        found = [hidden.numpy(), state.numpy()]
    expected = theirs(torch.tensor(X), (torch.tensor(H), torch.tensor(C)))
    (expected[0] * 2 + expected[1]).sum().backward()
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b.detach(), rtol=1e-6)
    for a, b in zip(gradients, [theirs.weight_ih.grad, theirs.bias_hh.grad], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_gru_cell_is_torchs():
    theirs = torch.nn.GRUCell(4, 5).double()
    with D.guard():
        cell = filled(D.GRUCell(5, 4), theirs)
        found = cell(D.to_variable(X), D.to_variable(H)).numpy()
    np.testing.assert_allclose(found, theirs(torch.tensor(X), torch.tensor(H)).detach(), rtol=1e-6)


@pytest.mark.parametrize(("kind", "unit"), [("LSTMCell", "BasicLSTMUnit"), ("GRUCell", "BasicGRUUnit")])
def test_without_cudnns_layout_they_are_the_basic_units(kind, unit):
    with D.guard():
        attr = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.3))
        cell = getattr(D, kind)(5, 4, param_attr=attr, use_cudnn_impl=False)
        basic = getattr(fluid.contrib.layers, unit)("u", 5, param_attr=attr, dtype="float64")
        inputs = [D.to_variable(one) for one in (X, H, C)][: 3 if kind == "LSTMCell" else 2]
        found, expected = cell(*inputs), basic(*inputs)
        for a, b in zip(*([one] if kind == "GRUCell" else one for one in (found, expected)), strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


def test_names_that_are_given_get_suffixes():
    with D.guard():
        cell = D.GRUCell(5, 4, fluid.ParamAttr(name="w"), fluid.ParamAttr(name="b"))
        names = ["w_weight_ih", "w_weight_hh", "b_bias_ih", "b_bias_hh"]
        assert [p.name for p in cell.parameters()] == names
