"""Large products, which may go to oneDNN: the same numbers as torch's to rounding, whatever the layout."""

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from refluid.ops.math import products

ROWS, INNER, COLUMNS = 330, 320, 340  # just above the least size


@pytest.fixture(params=[True, False], ids=["oneDNN", "MKL"])
def by_onednn(request, monkeypatch):
    if request.param and not torch.backends.mkldnn.is_available():
        pytest.skip("torch has no oneDNN here")
    monkeypatch.setattr(products, "_mkl_is_slower", lambda: request.param)
    return request.param


def near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize("x_layout", ["rows", "columns", "part"])
@pytest.mark.parametrize("y_layout", ["rows", "columns", "part"])
def test_layouts(by_onednn, x_layout, y_layout):
    def matrix(rows, columns, layout):
        if layout == "columns":
            return torch.randn(columns, rows).t()
        return torch.randn(rows, columns + 5)[:, 2 : columns + 2] if layout == "part" else torch.randn(rows, columns)

    x, y, bias = matrix(ROWS, INNER, x_layout), matrix(INNER, COLUMNS, y_layout), torch.randn(COLUMNS)
    expected = x.double().numpy() @ y.double().numpy()
    near(products.mm(x, y).numpy(), expected)
    near(products.addmm(bias, x, y).numpy(), expected + bias.numpy())
    near(products.addmm(bias[None], x, y).numpy(), expected + bias.numpy())


@pytest.mark.parametrize("transpose", [False, True])
def test_rows_of_several_axes(by_onednn, transpose):
    x, y = torch.randn(10, ROWS // 10, INNER), torch.randn(INNER, COLUMNS)
    near(products.matmul(x, y).numpy(), x.double().numpy() @ y.double().numpy())
    with fluid.dygraph.guard():
        fed = [fluid.dygraph.to_variable(value.numpy()) for value in (x, y.t().contiguous() if transpose else y)]
        for value in fed:
            value.stop_gradient = False
        out = fluid.layers.matmul(*fed, transpose_y=transpose)
        fluid.layers.reduce_sum(out).backward()
        near(out.numpy(), x.double().numpy() @ y.double().numpy())
        rows = np.broadcast_to(x.double().sum((0, 1)).numpy()[:, None], y.shape)
        near(fed[1].gradient(), rows.T if transpose else rows)
        near(fed[0].gradient(), np.broadcast_to(y.double().sum(1).numpy(), x.shape))


def test_the_same_bits_every_time(by_onednn):
    x, y = torch.randn(ROWS, INNER), torch.randn(INNER, COLUMNS)
    first = products.mm(x, y)
    products.mm(y.t(), x.t())
    assert torch.equal(products.mm(x, y), first)


def test_autograd_goes_through(by_onednn):
    x, y = torch.randn(ROWS, INNER, requires_grad=True), torch.randn(INNER, COLUMNS)
    products.mm(x, y).sum().backward()
    near(x.grad.numpy(), y.double().sum(1).expand(ROWS, INNER).numpy())


def test_a_step_of_a_program(by_onednn):
    x = fluid.data("x", [None, INNER])
    hidden = fluid.layers.fc(x, COLUMNS, bias_attr=fluid.initializer.Constant(0.5))
    loss = fluid.layers.reduce_sum(hidden)
    ((weight, grad), *_) = fluid.backward.append_backward(loss)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    fed = np.random.RandomState(0).rand(ROWS, INNER).astype("float32")
    out, w, got = exe.run(feed={"x": fed}, fetch_list=[hidden, weight, grad])
    near(out, fed.astype("float64") @ w + 0.5)
    near(got, np.broadcast_to(fed.astype("float64").sum(0)[:, None], got.shape))
