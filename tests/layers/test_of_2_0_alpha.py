"""Layer functions that 2.0-alpha added to fluid.layers and fluid.contrib.layers."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D, L = fluid.dygraph, fluid.layers


def run(build, **feeds):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.core.Scope()):
        out = build(**{name: fluid.data(name, value.shape, str(value.dtype)) for name, value in feeds.items()})
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        return exe.run(feed=feeds, fetch_list=[] if out is None else [out])


def test_assert_fails_the_run_and_shows_the_data():
    def positive(x):
        L.Assert(L.reduce_all(x > 0.0), [x], summarize=2)
        return x * 2.0

    run(positive, x=np.array([1, 2, 3], "float32"))
    with pytest.raises(EnforceNotMet, match=r"assert: the condition is false: \[3\] \[1 -2 \.\.\.\]"):
        run(positive, x=np.array([1, -2, 3], "float32"))
    with D.guard():
        L.Assert(D.to_variable(np.array([True])))
        with pytest.raises(ValueError, match="the condition is false"):
            L.Assert(D.to_variable(np.array([False])))


def test_resize_linear():
    x = np.array([[[0, 1, 2]]], "float32")
    (found,) = run(lambda x: L.resize_linear(x, out_shape=[5]), x=x)
    np.testing.assert_allclose(found, [[[0, 0.5, 1, 1.5, 2]]], rtol=1e-6)
    with D.guard():
        rows = D.to_variable(x.transpose(0, 2, 1))
        assert L.resize_linear(rows, scale=2.0, data_format="NWC").shape == [1, 6, 1]


def test_batch_fc():
    x, w = np.random.RandomState(0).rand(2, 3, 4).astype("float32"), np.full((2, 4, 5), 0.5, "float32")
    attrs = [fluid.ParamAttr(initializer=fluid.initializer.Constant(value)) for value in (0.5, -1.5)]

    def build(x):
        return fluid.contrib.layers.batch_fc(x, [2, 4, 5], attrs[0], [2, 5], attrs[1], act="relu")

    (found,) = run(build, x=x)
    np.testing.assert_allclose(found, np.maximum(np.matmul(x, w) - 1.5, 0), rtol=1e-5)


def test_rank_attention_takes_max_size():
    offset = np.array([[1, 1, 0], [1, 1, 1]], "int32")
    attr = fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0))
    x = np.array([[1, 2], [3, 4]], "float32")

    def build(x, offset):
        return fluid.contrib.layers.rank_attention(x, offset, [2, 1], attr, max_rank=1, max_size=8)

    assert run(build, x=x, offset=offset)[0].tolist() == [[3], [7]]
