"""The linear regression of the Fluid guide: one fc, squared error, SGD; prediction and loss fetched every step."""

import paddle.fluid as fluid
from workloads import data


def static(fuse=False):
    x = fluid.layers.data(name="x", shape=[4], dtype="float32")
    y = fluid.layers.data(name="y", shape=[1], dtype="float32")
    y_predict = fluid.layers.fc(input=x, size=1, act=None)
    cost = fluid.layers.square_error_cost(input=y_predict, label=y)
    avg_cost = fluid.layers.mean(cost)
    fluid.optimizer.SGD(learning_rate=0.05).minimize(avg_cost)

    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    train_data, y_true = data.linear()
    program = fluid.default_main_program()
    if fuse:
        strategy = fluid.BuildStrategy()
        strategy.enable_auto_fusion = True
        program = fluid.CompiledProgram(program, build_strategy=strategy)

    def step():
        return exe.run(program, feed={"x": train_data, "y": y_true}, fetch_list=[y_predict.name, avg_cost.name])[1]

    return step


def compiled():
    return static(fuse=True)
