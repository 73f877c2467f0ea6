"""Training step of one LSTM cell unrolled over 200 steps in Fluid 1.8: all activations are alive at the end."""

import paddle.fluid as fluid
from paddle.fluid.dygraph import Linear, to_variable
from workloads import data


def imperative():
    fluid.enable_dygraph(fluid.CPUPlace())
    gates = Linear(2 * data.UNROLL_HIDDEN, 4 * data.UNROLL_HIDDEN)
    sgd = fluid.optimizer.SGD(learning_rate=0.1, parameter_list=gates.parameters())
    arrays = data.unroll()

    def step():
        x, cell, target = [to_variable(array) for array in arrays]
        hidden = cell
        for t in range(data.UNROLL_STEPS):
            joined = fluid.layers.concat([x[:, t], hidden], 1)
            i, j, f, o = fluid.layers.split(gates(joined), num_or_sections=4, dim=-1)
            cell = cell * fluid.layers.sigmoid(f) + fluid.layers.sigmoid(i) * fluid.layers.tanh(j)
            hidden = fluid.layers.tanh(cell) * fluid.layers.sigmoid(o)
        loss = fluid.layers.reduce_mean(fluid.layers.square(hidden - target))
        loss.backward()
        sgd.minimize(loss)
        gates.clear_gradients()
        return loss.numpy()

    return step
