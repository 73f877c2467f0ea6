"""Training steps whose size is an argument, in Fluid 1.8, static: batch, depth, sequence length, operators.

python steps_fluid.py batch 1 8 64      # one line of JSON: processor seconds of a step for each size
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import paddle.fluid as fluid
from workloads import steps_sizes as sizes


def trained(loss, rate, feed):
    fluid.optimizer.SGD(learning_rate=rate).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()
    return lambda: exe.run(program, feed=feed, fetch_list=[loss])[0]


def mlp(batch, layers, width):
    x = fluid.data("x", [None, width], "float32")
    label = fluid.data("label", [None, 1], "int64")
    hidden = x
    for _ in range(layers - 1):
        hidden = fluid.layers.fc(hidden, width, act="relu")
    logits = fluid.layers.fc(hidden, sizes.CLASSES)
    loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(logits, label))
    x, label = sizes.examples(batch, width)
    return trained(loss, 0.01, {"x": x, "label": label})


def batch(size):
    return mlp(size, sizes.BATCH_LAYERS, sizes.BATCH_WIDTH)


def depth(size):
    return mlp(sizes.DEPTH_BATCH, size, sizes.DEPTH_WIDTH)


def length(size):
    width = sizes.LENGTH_WIDTH
    x = fluid.data("x", [None, width], "float32", lod_level=1)
    hidden, _ = fluid.layers.dynamic_lstm(fluid.layers.fc(x, 4 * width), 4 * width, use_peepholes=False)
    loss = fluid.layers.mean(fluid.layers.square(fluid.layers.sequence_last_step(hidden)))
    rows = sizes.sequences(size).reshape(-1, width)
    lengths = [[size] * sizes.LENGTH_BATCH]
    return trained(loss, 0.01, {"x": fluid.create_lod_tensor(rows, lengths, fluid.CPUPlace())})


def operators(size):
    y = fluid.data("y", [sizes.SIDE, sizes.SIDE], "float32")
    x = fluid.layers.create_parameter([sizes.SIDE, sizes.SIDE], "float32")
    for i in range(size):
        x = (fluid.layers.tanh, lambda x: x + y, lambda x: fluid.layers.scale(x, 0.5))[i % 3](x)
    loss = fluid.layers.reduce_mean(x)
    return trained(loss, 0.01, {"y": np.ones((sizes.SIDE, sizes.SIDE), "float32")})


def alone(make):
    """`make` with programs and variables of its own."""

    def made(size):
        guards = fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope())
        with guards[0], guards[1], fluid.unique_name.guard():
            yield make(size)

    return made


if __name__ == "__main__":
    sizes.tell({make.__name__: alone(make) for make in (batch, depth, length, operators)})
