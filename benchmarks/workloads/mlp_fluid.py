"""Training step of a three-layer perceptron, 1024 wide, in Fluid's static mode with plain SGD."""

import paddle.fluid as fluid
from workloads import data


def static():
    x = fluid.data(name="x", shape=[None, data.MLP_WIDTH], dtype="float32")
    label = fluid.data(name="label", shape=[None, 1], dtype="int64")
    hidden = fluid.layers.fc(x, size=data.MLP_WIDTH, act="relu")
    hidden = fluid.layers.fc(hidden, size=data.MLP_WIDTH, act="relu")
    prediction = fluid.layers.fc(hidden, size=10, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
    fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)

    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()
    inputs, labels = data.mlp()

    def step():
        return exe.run(program, feed={"x": inputs, "label": labels}, fetch_list=[loss])[0]

    return step
