"""Forward and backward of a chain of 30 small operators in Fluid's imperative mode, then the gradient of its leaf."""

import paddle.fluid as fluid
from workloads import data


def imperative():
    fluid.enable_dygraph(fluid.CPUPlace())
    x, shift, factor = [fluid.dygraph.to_variable(a) for a in data.chain()]
    x.stop_gradient = False

    def step():
        x.clear_gradient()
        y = x
        for _ in range(data.CHAIN_REPEATS):
            y = fluid.layers.relu(y)
            y = fluid.layers.elementwise_add(y, shift)
            y = fluid.layers.tanh(y)
            y = fluid.layers.elementwise_mul(y, factor)
            y = fluid.layers.scale(y, scale=1.1)
            y = fluid.layers.sigmoid(y)
        fluid.layers.reduce_mean(y).backward()
        return x.gradient()

    return step
