"""fluid.dygraph.grad: gradients with respect to chosen variables, and gradients of gradients."""

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph
L = fluid.layers


@pytest.fixture(autouse=True)
def imperative():
    with D.guard():
        yield


def var(*values, stop=False, shape=None):
    array = np.array(values, "float32")
    made = D.to_variable(array if shape is None else array.reshape(shape))
    made.stop_gradient = stop
    return made


def numbers(grads):
    return [None if g is None else g.numpy().ravel().tolist() for g in grads]


def test_gradients_are_returned_and_no_variable_keeps_them():
    x = var(1, 2)
    y = x * x
    assert numbers(D.grad(y, x)) == [[2, 4]]
    assert x.gradient() is None and y.gradient() is None


def test_the_gradient_of_a_gradient_of_a_gradient():
    x = var(1, 2)
    (first,) = D.grad(x * x * x, x, create_graph=True)
    (second,) = D.grad(first, x, create_graph=True)
    (third,) = D.grad(second, x)
    assert numbers([first, second, third]) == [[3, 12], [6, 12], [6, 6]]
    assert not first.stop_gradient and third.stop_gradient


def test_a_gradient_can_be_part_of_a_loss():
    x = var(1, 2)
    (dx,) = D.grad(x * x * x, x, create_graph=True)
    loss = L.reduce_sum(dx * dx)  # 9 x^4
    loss.backward()
    assert x.gradient().tolist() == [36, 288]


def test_grad_outputs_are_where_it_begins():
    x = var(1, 2)
    assert numbers(D.grad(x * 2, x, grad_outputs=var(3, 4, stop=True))) == [[6, 8]]
    assert numbers(D.grad([x * 2, x * 3], [x], grad_outputs=[var(3, 4, stop=True), None])) == [[9, 11]]


def test_grad_outputs_have_gradients_too():
    x, v = var(1, 2), var(3, 4)
    (dx,) = D.grad(x * x, x, grad_outputs=v, create_graph=True)  # 2 x v
    assert numbers(D.grad(dx, [x, v])) == [[6, 8], [2, 4]]


def test_inputs_may_be_computed_variables():
    x = var(1, 2)
    a = x * 2
    b = a * x
    assert numbers(D.grad(b, [a, x], retain_graph=True)) == [[1, 2], [4, 8]]
    assert numbers(D.grad(b, b)) == [[1, 1]]


def test_nothing_goes_through_no_grad_vars():
    x = var(1, 2)
    a = x * 2
    assert numbers(D.grad(a * x, x, no_grad_vars=a)) == [[2, 4]]
    assert numbers(D.grad(a * x, x, no_grad_vars=[a])) == [[2, 4]]


def test_an_unused_input_is_refused_or_none():
    x, z = var(1, 2), var(1, 2)
    with pytest.raises(EnforceNotMet, match="no output was computed from .*allow_unused=True"):
        D.grad(x * 2, z)
    assert numbers(D.grad(x * 2, [x, z], allow_unused=True)) == [[2, 2], None]


def test_the_graph_is_freed_unless_retained():
    x = var(1, 2)
    y = x * 2
    D.grad(y, x, retain_graph=True)
    D.grad(y, x)
    with pytest.raises(EnforceNotMet, match="was freed by an earlier"):
        D.grad(y, x)


def test_what_is_refused():
    x, s = var(1, 2), var(1, 2, stop=True)
    with pytest.raises(EnforceNotMet, match="of inputs is stopped"):
        D.grad(x * s, s)
    with pytest.raises(EnforceNotMet, match="of outputs is stopped"):
        D.grad(s * 2, x)
    with pytest.raises(EnforceNotMet, match="only_inputs=False is not available"):
        D.grad(x * 2, x, only_inputs=False)
    with pytest.raises(EnforceNotMet, match="inputs must be a variable of the imperative mode.*got ndarray"):
        D.grad(x * 2, np.ones(2))
    with pytest.raises(EnforceNotMet, match="one entry per output, 2, got 1"):
        D.grad([x * 2, x * 3], x, grad_outputs=[None])
    with pytest.raises(EnforceNotMet, match=r"has the shape \[2\], its entry of grad_outputs \[1\]"):
        D.grad(x * 2, x, grad_outputs=var(1, stop=True))
    for wrong in (lambda: D.grad([], x), lambda: D.grad(x * 2, [])):
        with pytest.raises(EnforceNotMet, match="must hold at least one variable, got none"):
            wrong()


def test_grad_works_in_no_grad_and_with_a_strategy():
    x = var(1, 2)
    y = x * x
    with D.no_grad():
        (dx,) = D.grad(y, x, create_graph=True, backward_strategy=D.BackwardStrategy())
    assert numbers(D.grad(dx, x)) == [[2, 2]]


# What gradient penalties are made of: each function twice, beside torch.
X4 = np.random.RandomState(1).rand(2, 4, 6, 6).astype("float32")
X2 = np.random.RandomState(2).rand(3, 4).astype("float32")
W = np.random.RandomState(3).rand(4, 5).astype("float32")
KEPT = []  # layers, as a model keeps them


def _instance_norm(x):
    KEPT.append(D.InstanceNorm(4))
    return KEPT[-1](x)


FUNCTIONS = {
    "mul": (X2, lambda x: L.mul(x * x, D.to_variable(W)), lambda x: (x * x) @ torch.tensor(W)),
    "matmul": (X2, lambda x: L.matmul(x, x, transpose_y=True), lambda x: x @ x.t()),
    "tanh": (X2, L.tanh, torch.tanh),
    "sigmoid": (X2, L.sigmoid, torch.sigmoid),
    "relu": (X2 - 0.5, lambda x: L.relu(x) * x, lambda x: torch.relu(x) * x),
    "leaky_relu": (X2 - 0.5, lambda x: L.leaky_relu(x, 0.1) * x, lambda x: torch.nn.functional.leaky_relu(x, 0.1) * x),
    "sqrt": (X2 + 0.1, L.sqrt, torch.sqrt),
    "square": (X2, L.square, torch.square),
    "exp": (X2, L.exp, torch.exp),
    "softmax": (X2, L.softmax, lambda x: torch.softmax(x, -1)),
    "reduce_mean": (X2, lambda x: L.reduce_mean(x * x, 1), lambda x: (x * x).mean(1)),
    "concat": (X2, lambda x: L.concat([x, x * x], 1), lambda x: torch.cat([x, x * x], 1)),
    "reshape": (X2, lambda x: L.reshape(x, [4, 3]) * L.reshape(x, [4, 3]), lambda x: x.reshape(4, 3) ** 2),
    "transpose": (X2, lambda x: L.transpose(x, [1, 0]) ** 2.0, lambda x: x.t() ** 2),
    "split": (X2, lambda x: L.split(x, 2, 1)[0] * L.split(x, 2, 1)[1], lambda x: x[:, :2] * x[:, 2:]),
    "slice": (X2, lambda x: x[1:] * x[:-1], lambda x: x[1:] * x[:-1]),
    "div": (X2 + 0.5, lambda x: 1.0 / x, lambda x: 1.0 / x),
    "pool2d": (
        X4,
        lambda x: L.pool2d(x * x, 2, "avg", 2),
        lambda x: torch.nn.functional.avg_pool2d(x * x, 2),
    ),
    "max pool2d": (
        X4,
        lambda x: L.square(L.pool2d(x, 2, "max", 2)),
        lambda x: torch.nn.functional.max_pool2d(x, 2) ** 2,
    ),
    "conv2d": (
        X4,
        lambda x: L.square(_conv(x)),
        lambda x: torch.nn.functional.conv2d(x, torch.tensor(F), padding=1) ** 2,
    ),
    "batch_norm": (
        X4,
        lambda x: D.BatchNorm(4)(x),
        lambda x: torch.nn.functional.batch_norm(x, None, None, training=True),
    ),
    "instance_norm": (X4, _instance_norm, lambda x: torch.nn.functional.instance_norm(x)),
    "layer_norm": (X2, lambda x: D.LayerNorm(4)(x), lambda x: torch.nn.functional.layer_norm(x, [4])),
}
F = np.random.RandomState(4).rand(3, 4, 3, 3).astype("float32")


def _conv(x):
    conv = D.Conv2D(4, 3, 3, padding=1, bias_attr=False)
    conv.weight.set_value(F)
    return conv(x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_gradients_beside_torch(name):
    array, ours, theirs = FUNCTIONS[name]
    x = D.to_variable(array)
    x.stop_gradient = False
    out = ours(x)
    weights = np.cos(np.arange(np.prod(out.shape))).reshape(out.shape).astype("float32")
    (dx,) = D.grad(out, x, grad_outputs=D.to_variable(weights), create_graph=True)
    penalty = L.reduce_sum(dx * dx * dx)
    penalty.backward()

    t = torch.tensor(array, requires_grad=True)
    (dt,) = torch.autograd.grad(theirs(t), t, torch.tensor(weights), create_graph=True)
    (dt**3).sum().backward()
    np.testing.assert_allclose(dx.numpy(), dt.detach().numpy(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(x.gradient(), t.grad.numpy(), rtol=2e-3, atol=2e-3)


def test_a_gradient_penalty_reaches_the_parameters():
    critic = D.Sequential(D.Linear(4, 8, act="tanh"), D.Linear(8, 1))
    x = D.to_variable(X2)
    x.stop_gradient = False
    (dx,) = D.grad(critic(x), x, create_graph=True)
    norm = L.sqrt(L.reduce_sum(L.square(dx), 1))
    L.reduce_mean(L.square(norm - 1.0)).backward()
    ours = [p.gradient() for p in critic.parameters()]

    w1, b1, w2, b2 = (torch.tensor(p.numpy(), requires_grad=True) for p in critic.parameters())
    t = torch.tensor(X2, requires_grad=True)
    (dt,) = torch.autograd.grad((torch.tanh(t @ w1 + b1) @ w2 + b2).sum(), t, create_graph=True)
    ((dt.square().sum(1).sqrt() - 1) ** 2).mean().backward()
    for one, other in zip(ours, (w1, b1, w2)):
        np.testing.assert_allclose(one, other.grad.numpy(), rtol=1e-4, atol=1e-5)


def test_the_gradient_of_an_embedding_is_dense_in_the_graph():
    table = D.Embedding([5, 2], is_sparse=True)
    ids = D.to_variable(np.array([1, 3, 1]))
    out = table(ids)
    (dw,) = D.grad(out * out, table.weight, create_graph=True)
    assert dw.shape == [5, 2]
    (ddw,) = D.grad(dw, table.weight)
    assert ddw.numpy()[:, 0].tolist() == [0, 4, 0, 2, 0]


def test_sums_of_gradients_are_always_sorted():
    strategy = D.BackwardStrategy()
    assert strategy.sort_sum_gradient is False
    strategy.sort_sum_gradient = True
    x = var(1, 2)
    (x * x + x).backward(strategy)
    assert x.gradient().tolist() == [3, 5]
    with pytest.raises(EnforceNotMet, match="backward_strategy must be a BackwardStrategy, got int"):
        (x * 2).backward(1)


def _double(layer):
    KEPT.append(layer)
    return lambda x: KEPT[-1](x) * 1.0


THIRD = {
    **{name: FUNCTIONS[name][:2] for name in ("tanh", "sigmoid", "sqrt", "exp", "softmax", "div", "matmul", "slice")},
    "pool2d": (X4, FUNCTIONS["pool2d"][1]),
    "layer_norm": (X2, lambda x: _double(D.LayerNorm(4, dtype="float64"))(x)),
    "batch_norm": (X4, lambda x: _double(D.BatchNorm(2, dtype="float64"))(x)),
    "batch_norm NHWC": (X4, lambda x: _double(D.BatchNorm(6, data_layout="NHWC", dtype="float64"))(x)),
    "group_norm": (X4, lambda x: _double(D.GroupNorm(2, 1, dtype="float64"))(x)),
}


@pytest.mark.parametrize("name", THIRD)
def test_third_derivatives_are_the_slopes_of_second_ones(name):
    array, ours = THIRD[name]
    array = array[:2, :2, :2].astype("float64") if array.ndim == 4 else array[:2].astype("float64")

    def derivative(value, order):
        x = D.to_variable(value)
        x.stop_gradient = False
        found = ours(x)
        for n in range(order):  # a weighted sum each time, that no term may be lost
            weights = D.to_variable(np.cos(np.arange(np.prod(found.shape)) + n).reshape(found.shape))
            (found,) = D.grad(found, x, grad_outputs=weights, create_graph=n < order - 1)
        return found.numpy()

    third, weights, step = derivative(array, 3), np.cos(np.arange(array.size) + 2).reshape(array.shape), 1e-5
    for index in np.ndindex(array.shape):
        there = np.zeros_like(array)
        there[index] = step
        slope = (weights * (derivative(array + there, 2) - derivative(array - there, 2))).sum() / (2 * step)
        np.testing.assert_allclose(third[index], slope, rtol=1e-3, atol=1e-3)
