"""Functions of paddle.nn.functional that are not those of fluid.layers."""

import numpy as np
import pytest
from tests.layers.modes import both, operators

import paddle.fluid as fluid
from paddle.nn import functional as F
from refluid.core.errors import ArgumentError

IMAGE = np.random.RandomState(0).rand(2, 3, 5, 5).astype("float32")
WEIGHT = np.random.RandomState(1).rand(4, 3, 3, 3).astype("float32")
BIAS = np.array([1, 2, 3, 4], "float32")


def naive_conv(x, w, b):
    out = np.zeros((len(x), len(w), 3, 3), "float32")
    for i in range(3):
        for j in range(3):
            out[:, :, i, j] = np.einsum("ncij,fcij->nf", x[:, :, i : i + 3, j : j + 3], w) + b
    return out


def test_conv2d_with_a_weight_of_ones_own():
    (found,) = both(lambda x, w, b: F.conv2d(x, w, b, act="relu"), x=IMAGE, w=WEIGHT, b=BIAS)
    np.testing.assert_allclose(found, naive_conv(IMAGE, WEIGHT, BIAS), rtol=1e-4)


def test_conv2d_writes_the_operators_of_a_layer():
    x, w, b = (fluid.data(name, list(value.shape)) for name, value in (("x", IMAGE), ("w", WEIGHT), ("b", BIAS)))
    F.conv2d(x, w, b, act="relu")
    assert operators() == [
        "conv2d: x w -> conv2d_0.tmp_0",
        "elementwise_add: conv2d_0.tmp_0 b -> conv2d_0.tmp_1",
        "relu: conv2d_0.tmp_1 -> conv2d_0.tmp_2",
    ]


def test_conv2d_transpose_is_the_gradient_of_conv2d():
    with fluid.dygraph.guard():
        x, w = fluid.dygraph.to_variable(IMAGE), fluid.dygraph.to_variable(WEIGHT)
        x.stop_gradient = False
        out = F.conv2d(x, w, padding=1, stride=2)
        out.backward()
        ones = fluid.layers.ones_like(out)
        ones.stop_gradient = True
        back = F.conv2d_transpose(ones, w, padding=1, stride=2)
        np.testing.assert_allclose(back.numpy(), x.gradient(), rtol=1e-4)


def test_volumes():
    x, w = np.ones((1, 2, 3, 3, 3), "float32"), np.ones((4, 2, 2, 2, 2), "float32")
    (found,) = both(lambda a, b: F.conv3d(a, b), a=x, b=w)
    assert found.shape == (1, 4, 2, 2, 2) and (found == 16).all()
    with fluid.dygraph.guard():
        weight = fluid.dygraph.to_variable(w.transpose(1, 0, 2, 3, 4).copy())
        out = F.conv3d_transpose(fluid.dygraph.to_variable(x), weight, stride=2)
        assert out.shape == [1, 4, 6, 6, 6] and (out.numpy() == 2).all()


def test_log_softmax_does_not_lose_small_probabilities():
    x = np.array([[0.0, -200.0]], "float32")
    (found,) = both(lambda a: F.log_softmax(a), a=x)
    assert found.tolist() == [[0, -200]]
    (found,) = both(lambda a: F.log_softmax(a, dtype="float64"), a=x)
    assert found.dtype == np.float64


def test_seed_002_s_cross_entropy_and_softmax_are_those_of_fluid():
    assert F.cross_entropy is fluid.layers.cross_entropy and F.softmax is fluid.layers.softmax


def test_hsigmoid_refuses_half_a_tree():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.zeros((1, 2), "float32"))
        with pytest.raises(ArgumentError, match="path_table and path_code go together"):
            F.hsigmoid(x, x, x, None, 4, path_table=x)
        with pytest.raises(ArgumentError, match="num_classes must be 2 or more, got 1"):
            F.hsigmoid(x, x, x, None, 1)


def test_the_weight_of_hsigmoid_gets_its_gradient_whoever_made_it():
    x, label, weight = np.ones((2, 3), "float32"), np.array([[0], [3]]), np.ones((3, 3), "float32")
    with fluid.dygraph.guard():
        given = [fluid.dygraph.to_variable(one) for one in (x, label, weight)]
        given[2].stop_gradient = False
        F.hsigmoid(*given, None, 4).backward()
        assert not given[2].stop_gradient and given[2].gradient().shape == (3, 3)


def test_one_hot_adds_an_axis():
    for index in (np.array([1, 3]), np.array([[1], [3]]), np.array([[0, 2]], "int32")):
        (found,) = both(lambda i: F.one_hot(i, depth=4), i=index)
        np.testing.assert_array_equal(found, np.eye(4, dtype="float32")[index])
