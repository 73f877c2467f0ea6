"""The gradient of a table that is looked up twice."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers


def test_rows_added_to_rows_are_a_sparse_gradient_which_can_be_clipped():
    words = [fluid.data(f"word_{i}", [None, 1], "int64") for i in range(2)]
    attr = fluid.ParamAttr(name="table")
    first, second = (layers.embedding(word, [20, 4], is_sparse=True, param_attr=attr) for word in words)
    loss = layers.mean(layers.square(first + second))
    fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.01)).minimize(loss)
    block = fluid.default_main_program().global_block()
    for name in ("table@GRAD", "table@GRAD@RENAME@block0@0", "table@GRAD@RENAME@block0@1"):
        assert block.var(name).type == fluid.core.VarDesc.VarType.SELECTED_ROWS
    executor = fluid.Executor()
    executor.run(fluid.default_startup_program())
    feed = {f"word_{i}": np.arange(i, i + 3).reshape(3, 1) for i in range(2)}
    losses = [executor.run(feed=feed, fetch_list=[loss])[0].item() for _ in range(3)]
    assert losses[2] < losses[0]
