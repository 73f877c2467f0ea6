"""The linear regression of linear_fluid.py in PaddlePaddle 3's static mode."""

import paddle
from workloads import data


def static():
    paddle.enable_static()
    x = paddle.static.data("x", [None, 4], "float32")
    y = paddle.static.data("y", [None, 1], "float32")
    y_predict = paddle.nn.Linear(4, 1)(x)
    loss = paddle.nn.functional.mse_loss(y_predict, y)
    paddle.optimizer.SGD(learning_rate=0.05).minimize(loss)

    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    program = paddle.static.default_main_program()
    train_data, y_true = data.linear()

    def step():
        return exe.run(program, feed={"x": train_data, "y": y_true}, fetch_list=[y_predict, loss])[1]

    return step
