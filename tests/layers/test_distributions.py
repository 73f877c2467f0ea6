"""Distributions: numbers that Fluid 1.8.5 gives, in both modes, and samples that follow them."""

import numpy as np
import pytest
from tests.layers.modes import both

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError

L = fluid.layers
POINTS = np.array([0.8, 1.5], "float32")


def values(build, **given):
    """What `build` gives; `both` compares the modes."""
    return [np.array(one).reshape(-1) for one in both(build, **given)]


def test_entropy_and_density_of_the_normal_distribution():
    normal = lambda x: (L.Normal([0.5, 1.0], [2.0, 3.0]).entropy(), L.Normal(0.5, [2.0, 3.0]).log_prob(x))  # noqa: E731
    entropy, density = values(normal, x=POINTS)
    np.testing.assert_allclose(entropy, [2.11209, 2.51755], rtol=1e-5)
    np.testing.assert_allclose(density, [-1.62334, -2.07310], rtol=1e-5)


def test_entropy_and_density_of_the_uniform_distribution():
    uniform = lambda x: (L.Uniform(0.5, [2.0, 3.0]).entropy(), L.Uniform([0.5, 1.6], [2.0, 3.0]).log_prob(x))  # noqa: E731
    entropy, density = values(uniform, x=POINTS)
    np.testing.assert_allclose(entropy, [0.40547, 0.91629], rtol=1e-4)
    np.testing.assert_allclose(density, [-0.40547, -np.inf], rtol=1e-4)


def test_divergences():
    def build(x):
        first = L.MultivariateNormalDiag(
            *(L.assign(np.array(v, "float32")) for v in ([0.3, 0.5], [[0.4, 0], [0, 0.5]]))
        )
        other = L.MultivariateNormalDiag(
            *(L.assign(np.array(v, "float32")) for v in ([0.2, 0.4], [[0.3, 0], [0, 0.4]]))
        )
        one, two = L.Categorical(x), L.Categorical(np.array([[-0.1, -0.112], [0.0, 0.5]], "float32"))
        return (
            L.Normal([0.0, 1.0], [1.0, 2.0]).kl_divergence(L.Normal([1.0, 1.0], [2.0, 1.0])),
            one.entropy(), one.kl_divergence(two), first.entropy(), first.kl_divergence(other),
        )  # fmt: skip

    normal, entropy, classes, whole, vectors = values(build, x=np.array([[-0.602, -0.602], [0.3, 1.2]], "float32"))
    np.testing.assert_allclose(normal, [0.44315, 0.80685], rtol=1e-5)
    np.testing.assert_allclose(entropy, [0.69315, 0.60130], rtol=1e-5)
    np.testing.assert_allclose(classes, [1.79708e-05, 1.73029e-02], rtol=2e-3)
    np.testing.assert_allclose(whole, [2.03316], rtol=1e-5)
    np.testing.assert_allclose(vectors, [0.06542], rtol=1e-4)


@pytest.mark.parametrize("imperative", [True, False])
def test_samples_follow_the_distribution(imperative):
    def build():
        return [
            L.Normal(3.0, 0.5).sample([4000], seed=7), L.Uniform([1.0, -2.0], [4.0, 0.0]).sample([3000], seed=7),
            L.Normal(0.0, 1.0).sample([2, 3], seed=7),
        ]  # fmt: skip

    if imperative:
        with fluid.dygraph.guard():
            normal, uniform, small = (one.numpy() for one in build())
    else:
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            normal, uniform, small = fluid.Executor().run(fetch_list=build())
    assert normal.shape == (4000,) and uniform.shape == (3000, 2) and small.shape == (2, 3)
    assert abs(normal.mean() - 3.0) < 0.05 and abs(normal.std() - 0.5) < 0.05
    assert (uniform >= [1.0, -2.0]).all() and (uniform < [4.0, 0.0]).all()  # 1.8.5 leaves the range here
    np.testing.assert_allclose(uniform.mean(0), [2.5, -1.0], atol=0.1)


def test_samples_for_every_row_of_a_batch_of_unknown_size():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [None, 1], "float32")
        out = L.Normal(x, x * 0.0 + 0.01).sample([500], seed=3)
        rows = np.array([[1.0], [5.0], [9.0]], "float32")
        (found,) = fluid.Executor().run(feed={"x": rows}, fetch_list=[out])
    assert found.shape == (500, 3, 1)
    np.testing.assert_allclose(found.mean(0), rows, atol=0.01)


def test_wrong_arguments_are_told():
    with pytest.raises(ArgumentError, match="Normal: loc must be a number, list, numpy array or variable, got str"):
        L.Normal("a", 1.0)
    with pytest.raises(ArgumentError, match="MultivariateNormalDiag: loc and scale must be variables, got list and"):
        L.MultivariateNormalDiag([1.0], [[1.0]])
    with fluid.dygraph.guard(), pytest.raises(ArgumentError, match="other must be a Normal, got Uniform"):
        L.Normal(0.0, 1.0).kl_divergence(L.Uniform(0.0, 1.0))
    with fluid.dygraph.guard(), pytest.raises(NotImplementedError, match="Categorical has no log_prob"):
        L.Categorical([1.0, 2.0]).log_prob(1)
