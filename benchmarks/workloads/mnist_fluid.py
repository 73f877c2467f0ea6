"""MNIST training step in Fluid 1.8: two 5x5 convolutions with pooling, a softmax layer, Adam."""

import paddle.fluid as fluid
from paddle.fluid.dygraph import Conv2D, Linear, Pool2D
from workloads import data


class MNIST(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = Conv2D(num_channels=1, num_filters=20, filter_size=5, act="relu")
        self.pool1 = Pool2D(pool_size=2, pool_type="max", pool_stride=2)
        self.conv2 = Conv2D(num_channels=20, num_filters=50, filter_size=5, act="relu")
        self.pool2 = Pool2D(pool_size=2, pool_type="max", pool_stride=2)
        self.fc = Linear(input_dim=800, output_dim=10, act="softmax")

    def forward(self, x):
        x = self.pool1(self.conv1(x))
        x = self.pool2(self.conv2(x))
        return self.fc(fluid.layers.reshape(x, [-1, 800]))


def static():
    image = fluid.data(name="image", shape=[None, 1, 28, 28], dtype="float32")
    label = fluid.data(name="label", shape=[None, 1], dtype="int64")
    x = fluid.layers.conv2d(image, num_filters=20, filter_size=5, act="relu")
    x = fluid.layers.pool2d(x, pool_size=2, pool_type="max", pool_stride=2)
    x = fluid.layers.conv2d(x, num_filters=50, filter_size=5, act="relu")
    x = fluid.layers.pool2d(x, pool_size=2, pool_type="max", pool_stride=2)
    prediction = fluid.layers.fc(x, size=10, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
    fluid.optimizer.Adam(learning_rate=0.001).minimize(loss)

    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()
    images, labels = data.mnist()

    def step():
        return exe.run(program, feed={"image": images, "label": labels}, fetch_list=[loss])[0]

    return step


def imperative():
    fluid.enable_dygraph(fluid.CPUPlace())
    model = MNIST()
    adam = fluid.optimizer.Adam(learning_rate=0.001, parameter_list=model.parameters())
    images, labels = data.mnist()

    def step():
        prediction = model(fluid.dygraph.to_variable(images))
        loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, fluid.dygraph.to_variable(labels)))
        loss.backward()
        adam.minimize(loss)
        model.clear_gradients()
        return loss.numpy()

    return step
