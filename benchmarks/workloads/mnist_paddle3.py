"""MNIST training step in PaddlePaddle 3: the network of mnist_fluid.py in both of its modes."""

import paddle
import paddle.nn.functional as F
from paddle import nn
from workloads import data


class MNIST(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(1, 20, 5)
        self.conv2 = nn.Conv2D(20, 50, 5)
        self.fc = nn.Linear(800, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def static():
    paddle.enable_static()
    image = paddle.static.data("image", [None, 1, 28, 28], "float32")
    label = paddle.static.data("label", [None, 1], "int64")
    loss = F.cross_entropy(MNIST()(image), label)
    paddle.optimizer.Adam(learning_rate=0.001).minimize(loss)

    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    program = paddle.static.default_main_program()
    images, labels = data.mnist()

    def step():
        return exe.run(program, feed={"image": images, "label": labels}, fetch_list=[loss])[0]

    return step


def eager():
    model = MNIST()
    adam = paddle.optimizer.Adam(learning_rate=0.001, parameters=model.parameters())
    images, labels = data.mnist()

    def step():
        loss = F.cross_entropy(model(paddle.to_tensor(images)), paddle.to_tensor(labels))
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss.numpy()

    return step
