"""The layers of 2.0-alpha in both modes."""

import numpy as np
import pytest
from tests.layers.modes import both, ragged, weights

import paddle
import paddle.fluid as fluid
import paddle.nn as nn
from paddle.nn import functional as F
from refluid.core.errors import ArgumentError, EnforceNotMet, ShapeError

IMAGE = np.random.RandomState(0).rand(2, 3, 6, 6).astype("float32")
VOLUME = np.random.RandomState(0).rand(2, 3, 4, 4, 4).astype("float32")


def attr(seed=1):
    return fluid.ParamAttr(initializer=weights(seed))


def test_conv2d_takes_padding_before_stride():
    layer = lambda x: nn.Conv2D(3, 4, 3, 1, 2, param_attr=attr(), bias_attr=attr(2), act="relu")(x)  # noqa: E731
    fluids = lambda x: fluid.dygraph.Conv2D(  # noqa: E731
        3, 4, 3, stride=2, padding=1, param_attr=attr(), bias_attr=attr(2), act="relu"
    )(x)
    (found,), (expected,) = both(layer, x=IMAGE), both(fluids, x=IMAGE)
    assert found.shape == (2, 4, 3, 3)
    assert np.array_equal(found, expected)


def test_channels_may_come_last():
    (first,) = both(lambda x: nn.Conv2D(3, 4, 3, "SAME", param_attr=attr(), bias_attr=attr(2))(x), x=IMAGE)
    (last,) = both(
        lambda x: nn.Conv2D(3, 4, 3, "SAME", param_attr=attr(), bias_attr=attr(2), data_format="NHWC")(x),
        x=np.ascontiguousarray(IMAGE.transpose(0, 2, 3, 1)),
    )
    np.testing.assert_allclose(last.transpose(0, 3, 1, 2), first, rtol=1e-5)


def test_depthwise_and_grouped_convolutions():
    (found,) = both(lambda x: nn.Conv2D(3, 3, 3, groups=3, use_cudnn=False, param_attr=attr())(x), x=IMAGE)
    (expected,) = both(lambda x: nn.Conv2D(3, 3, 3, groups=3, param_attr=attr())(x), x=IMAGE)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    (found,) = both(lambda x: nn.Conv2DTranspose(3, 3, 3, groups=3, use_cudnn=False, param_attr=attr())(x), x=IMAGE)
    (expected,) = both(lambda x: nn.Conv2DTranspose(3, 3, 3, groups=3, param_attr=attr())(x), x=IMAGE)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_conv2d_transpose_of_a_given_size():
    (small,) = both(lambda x: nn.Conv2DTranspose(3, 4, 3, stride=2, param_attr=attr())(x), x=IMAGE)
    (large,) = both(lambda x: nn.Conv2DTranspose(3, 4, 3, [14, 14], stride=2, param_attr=attr())(x), x=IMAGE)
    assert small.shape == (2, 4, 13, 13) and large.shape == (2, 4, 14, 14)
    np.testing.assert_allclose(large[:, :, :13, :13], small, rtol=1e-5, atol=1e-6)


def test_volumes():
    (found,) = both(lambda x: nn.Conv3D(3, 2, 3, 1, param_attr=attr())(x), x=VOLUME)
    (expected,) = both(lambda x: fluid.dygraph.Conv3D(3, 2, 3, padding=1, param_attr=attr())(x), x=VOLUME)
    assert np.array_equal(found, expected)
    (found,) = both(lambda x: nn.Conv3DTranspose(3, 2, 3, stride=2, param_attr=attr())(x), x=VOLUME)
    (expected,) = both(lambda x: fluid.dygraph.Conv3DTranspose(3, 2, 3, stride=2, param_attr=attr())(x), x=VOLUME)
    assert found.shape == (2, 2, 9, 9, 9) and np.array_equal(found, expected)


def test_convolutions_refuse_what_does_not_fit():
    with fluid.dygraph.guard():
        with pytest.raises(ShapeError, match="Conv2D: groups=2 must divide the 3 channels and 4 filters"):
            nn.Conv2D(3, 4, 3, groups=2)
        with pytest.raises(ArgumentError, match="Conv2D: data_format must be 'NCHW' or 'NHWC', got 'CHW'"):
            nn.Conv2D(3, 4, 3, data_format="CHW")
        with pytest.raises(ShapeError, match="conv2d: input must have 4 axes"):
            nn.Conv2D(3, 4, 3)(fluid.dygraph.to_variable(np.zeros((3, 4), "float32")))
        with pytest.raises(EnforceNotMet, match="5 channels"):
            nn.Conv2D(3, 4, 3)(fluid.dygraph.to_variable(np.zeros((1, 5, 4, 4), "float32")))


def test_activations_are_layers():
    x = np.array([[-1.0, 0.0, 2.0]], "float32")
    (found,) = both(lambda v: nn.ReLU()(v), v=x)
    assert found.tolist() == [[0, 0, 2]]
    (found,) = both(lambda v: nn.Sigmoid()(v), v=x)
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-x)), rtol=1e-6)
    (found,) = both(lambda v: nn.LogSoftmax()(v), v=x)
    np.testing.assert_allclose(found, x - np.log(np.exp(x).sum()), rtol=1e-6)
    (found,) = both(lambda v: nn.LogSoftmax(0)(v), v=x)
    assert found.tolist() == [[0, 0, 0]]


def test_inplace_puts_the_result_in_the_inputs_place_in_a_program_alone():
    value = np.array([[-1.0, 3.0]], "float32")
    x = fluid.data("x", [None, 2])
    twice = fluid.layers.scale(x, 2.0)
    assert nn.ReLU(inplace=True)(twice) is twice
    (out,) = fluid.Executor().run(feed={"x": value}, fetch_list=[twice])
    assert out.tolist() == [[0, 6]]
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(value)
        x.stop_gradient = False
        out = F.sigmoid(x, inplace=True)
        out.backward()
        s = 1 / (1 + np.exp(-value))
        np.testing.assert_allclose(out.numpy(), s, rtol=1e-6)
        np.testing.assert_allclose(x.gradient(), s * (1 - s), rtol=1e-4)
        assert np.array_equal(x.numpy(), value)


def test_hsigmoid_is_the_function_of_fluid_with_its_own_parameters():
    x, label = np.random.rand(4, 3).astype("float32"), np.array([[0], [1], [4], [5]])
    found = both(lambda a, b: nn.HSigmoid(3, 6, attr(), attr(2))(a, b), a=x, b=label)
    expected = both(lambda a, b: fluid.layers.hsigmoid(a, b, 6, attr(), attr(2)), a=x, b=label)
    assert found[0].shape == (4, 1) and np.array_equal(found[0], expected[0])


def test_hsigmoid_trains_its_parameters_in_the_imperative_mode():
    x, label = np.random.rand(4, 3).astype("float32"), np.array([[0], [1], [4], [5]])
    with fluid.dygraph.guard():
        layer = nn.HSigmoid(3, 6)
        sgd = paddle.optimizer.SGD(0.5, parameter_list=layer.parameters())
        losses = []
        for _ in range(5):
            loss = fluid.layers.mean(layer(fluid.dygraph.to_variable(x), fluid.dygraph.to_variable(label)))
            loss.backward()
            assert layer.weight.gradient().any() and layer.bias.gradient().any()
            sgd.minimize(loss)
            layer.clear_gradients()
            losses.append(loss.numpy().item())
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0]


def test_hsigmoid_with_a_tree_of_ones_own():
    x, label = np.random.rand(2, 3).astype("float32"), np.array([[0], [1]])
    table, code = np.array([[0, 2, -1], [0, 1, 2]]), np.array([[0, 1, -1], [1, 0, 1]])
    given = {"a": x, "b": label, "t": table, "c": code}
    found = both(lambda a, b, t, c: nn.HSigmoid(3, 4, attr(), attr(2), is_custom=True)(a, b, t, c), **given)
    expected = both(
        lambda a, b, t, c: fluid.layers.hsigmoid(a, b, 4, attr(), attr(2), path_table=t, path_code=c, is_custom=True),
        **given,
    )
    assert np.array_equal(found[0], expected[0])
    with fluid.dygraph.guard():
        layer = nn.HSigmoid(3, 4, is_custom=True)
        with pytest.raises(ArgumentError, match="is_custom=True needs path_table and path_code"):
            layer(fluid.dygraph.to_variable(x), fluid.dygraph.to_variable(label))
        with pytest.raises(ArgumentError, match="num_classes must be 2 or more, got 1"):
            nn.HSigmoid(3, 1)


def test_row_conv_looks_ahead():
    steps = ragged(np.arange(10).reshape(5, 2), [3, 2])
    ones = fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0))
    (found,) = both(lambda x: nn.RowConv(2, 1, ones)(x), x=steps)
    assert found.tolist() == [[2, 4], [6, 8], [4, 5], [14, 16], [8, 9]]


def test_up_sample():
    x = np.arange(4, dtype="float32").reshape(1, 1, 2, 2)
    (found,) = both(lambda v: nn.UpSample(scale=2, resample="NEAREST", align_corners=False)(v), v=x)
    assert found[0, 0].tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]
    (found,) = both(lambda v: nn.UpSample([3, 3])(v), v=x)
    assert found[0, 0].tolist() == [[0, 0.5, 1], [1, 1.5, 2], [2, 2.5, 3]]
    (found,) = both(lambda v: nn.UpSample([3, 3, 3], resample="TRILINEAR")(v), v=x.reshape(1, 1, 1, 2, 2))
    assert found.shape == (1, 1, 3, 3, 3)


def test_losses():
    x, label = np.random.rand(3, 4).astype("float32"), np.array([1, 0, 3])
    log = x - np.log(np.exp(x).sum(1, keepdims=True))
    (found,) = both(lambda a, b: nn.CrossEntropyLoss()(a, b), a=x, b=label)
    np.testing.assert_allclose(found, [-log[range(3), label].mean()], rtol=1e-5)
    (found,) = both(lambda a, b: nn.NLLLoss(reduction="sum")(a, b), a=log, b=label)
    np.testing.assert_allclose(found, [-log[range(3), label].sum()], rtol=1e-5)
    y = np.random.rand(3, 4).astype("float32")
    (found,) = both(lambda a, b: nn.L1Loss()(a, b), a=x, b=y)
    np.testing.assert_allclose(found, [np.abs(x - y).mean()], rtol=1e-5)
    (found,) = both(lambda a, b: nn.MSELoss(reduction="none")(a, b), a=x, b=y)
    np.testing.assert_allclose(found, (x - y) ** 2, rtol=1e-5)
    (found,) = both(lambda a, b: nn.BCELoss()(a, b), a=x, b=y)
    np.testing.assert_allclose(found, [-(y * np.log(x) + (1 - y) * np.log(1 - x)).mean()], rtol=1e-4)


def test_a_model_of_these_layers_learns_alike_in_both_modes():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(1, 2, 3, 1, param_attr=attr(), bias_attr=attr(2), act="relu")
            self.pool = nn.Pool2D(2, "max", 2)
            self.fc = nn.Linear(8, 3, attr(3), attr(4))

        def forward(self, x):
            x = self.pool(self.conv(x))
            return self.fc(fluid.layers.reshape(x, [-1, 8]))

    images = np.random.rand(5, 1, 4, 4).astype("float32")
    labels = np.array([0, 1, 2, 1, 0])
    x, y = fluid.data("x", [-1, 1, 4, 4]), fluid.data("y", [-1], "int64")
    loss = nn.CrossEntropyLoss()(Net()(x), y)
    fluid.optimizer.SGD(0.5).minimize(loss)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    static = [exe.run(feed={"x": images, "y": labels}, fetch_list=[loss])[0].item() for _ in range(5)]
    with fluid.dygraph.guard():
        net = Net()
        sgd = fluid.optimizer.SGD(0.5, parameter_list=net.parameters())
        imperative = []
        for _ in range(5):
            cost = nn.CrossEntropyLoss()(net(fluid.dygraph.to_variable(images)), fluid.dygraph.to_variable(labels))
            cost.backward()
            sgd.minimize(cost)
            net.clear_gradients()
            imperative.append(cost.numpy().item())
    np.testing.assert_allclose(imperative, static, rtol=1e-5)
    assert static[-1] < static[0]
