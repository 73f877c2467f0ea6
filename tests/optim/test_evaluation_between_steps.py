"""A program for testing sees every update of the parameters, whatever its plan has made from them before."""

import itertools

import numpy as np
import pytest

import paddle.fluid as fluid

OPTIMIZERS = {
    "SGD": lambda: fluid.optimizer.SGD(0.01),
    "Momentum": lambda: fluid.optimizer.Momentum(0.01, 0.9),
    "LarsMomentum": lambda: fluid.optimizer.LarsMomentum(0.01, 0.9),
    "Adagrad": lambda: fluid.optimizer.Adagrad(0.01),
    "DecayedAdagrad": lambda: fluid.optimizer.DecayedAdagrad(0.01),
    "Adadelta": lambda: fluid.optimizer.Adadelta(1.0),
    "Adam": lambda: fluid.optimizer.Adam(0.01),
    "Adamax": lambda: fluid.optimizer.Adamax(0.01),
    "RMSProp": lambda: fluid.optimizer.RMSProp(0.01),
    "Ftrl": lambda: fluid.optimizer.Ftrl(0.01),
    "Lamb": lambda: fluid.optimizer.Lamb(0.01),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("normalised", [False, True])
def test_a_plan_for_testing_follows_the_training(name, normalised):
    x = fluid.data("x", [None, 1, 8, 8])
    maps = fluid.layers.conv2d(x, 4, 3, padding=1, act=None if normalised else "relu")
    out = fluid.layers.fc(fluid.layers.batch_norm(maps, act="relu") if normalised else maps, 3)
    loss = fluid.layers.mean(fluid.layers.square(out - 1.0))
    test = fluid.default_main_program().clone(for_test=True)
    OPTIMIZERS[name]().minimize(loss)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    feed = {"x": np.random.rand(4, 1, 8, 8).astype("float32")}
    seen = []
    for _ in range(4):
        exe.run(feed=feed, fetch_list=[loss])
        (kept,) = exe.run(test, feed=feed, fetch_list=[out])
        (fresh,) = exe.run(test.clone(), feed=feed, fetch_list=[out])
        assert np.array_equal(kept, fresh)
        seen.append(kept)
    assert all(not np.array_equal(a, b) for a, b in itertools.pairwise(seen))
