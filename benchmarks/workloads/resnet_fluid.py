"""ResNet-50 training step in Fluid 1.8, both modes, and the building of its training program."""

import paddle.fluid as fluid
from paddle.fluid.dygraph import BatchNorm, Conv2D, Linear, Pool2D
from workloads import data


def conv_bn(x, filters, size, stride=1, act=None):
    x = fluid.layers.conv2d(x, filters, size, stride=stride, padding=(size - 1) // 2, bias_attr=False)
    return fluid.layers.batch_norm(x, act=act)


def bottleneck(x, filters, stride):
    y = conv_bn(x, filters, 1, act="relu")
    y = conv_bn(y, filters, 3, stride, act="relu")
    y = conv_bn(y, filters * 4, 1)
    if x.shape[1] != filters * 4 or stride != 1:
        x = conv_bn(x, filters * 4, 1, stride)
    return fluid.layers.elementwise_add(x, y, act="relu")


def training_program():
    """Layers, backward and optimizer into the default program; returns the loss."""
    image = fluid.data(name="image", shape=[None, 3, data.RESNET_SIZE, data.RESNET_SIZE], dtype="float32")
    label = fluid.data(name="label", shape=[None, 1], dtype="int64")
    x = conv_bn(image, 64, 7, 2, act="relu")
    x = fluid.layers.pool2d(x, pool_size=3, pool_stride=2, pool_padding=1, pool_type="max")
    for stage, (filters, blocks) in enumerate(data.RESNET_STAGES):
        for block in range(blocks):
            x = bottleneck(x, filters, 2 if block == 0 and stage > 0 else 1)
    x = fluid.layers.pool2d(x, pool_type="avg", global_pooling=True)
    prediction = fluid.layers.fc(x, size=data.RESNET_CLASSES, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
    fluid.optimizer.Momentum(learning_rate=0.001, momentum=0.9).minimize(loss)
    return loss


def build():
    def step():
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
            training_program()

    return step


def static():
    loss = training_program()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()
    images, labels = data.resnet()

    def step():
        return exe.run(program, feed={"image": images, "label": labels}, fetch_list=[loss])[0]

    return step


class ConvBN(fluid.dygraph.Layer):
    def __init__(self, channels, filters, size, stride=1, act=None):
        super().__init__()
        self.conv = Conv2D(channels, filters, size, stride=stride, padding=(size - 1) // 2, bias_attr=False)
        self.bn = BatchNorm(filters, act=act)

    def forward(self, x):
        return self.bn(self.conv(x))


class Bottleneck(fluid.dygraph.Layer):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.conv0 = ConvBN(channels, filters, 1, act="relu")
        self.conv1 = ConvBN(filters, filters, 3, stride, act="relu")
        self.conv2 = ConvBN(filters, filters * 4, 1)
        self.has_short = channels != filters * 4 or stride != 1
        if self.has_short:
            self.short = ConvBN(channels, filters * 4, 1, stride)

    def forward(self, x):
        y = self.conv2(self.conv1(self.conv0(x)))
        short = self.short(x) if self.has_short else x
        return fluid.layers.elementwise_add(short, y, act="relu")


class ResNet(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.stem = ConvBN(3, 64, 7, 2, act="relu")
        self.pool = Pool2D(pool_size=3, pool_stride=2, pool_padding=1, pool_type="max")
        self.blocks = []
        channels = 64
        for stage, (filters, blocks) in enumerate(data.RESNET_STAGES):
            for block in range(blocks):
                stride = 2 if block == 0 and stage > 0 else 1
                name = f"block_{stage}_{block}"
                self.blocks.append(self.add_sublayer(name, Bottleneck(channels, filters, stride)))
                channels = filters * 4
        self.average = Pool2D(pool_type="avg", global_pooling=True)
        self.fc = Linear(channels, data.RESNET_CLASSES, act="softmax")

    def forward(self, x):
        x = self.pool(self.stem(x))
        for block in self.blocks:
            x = block(x)
        return self.fc(fluid.layers.reshape(self.average(x), [-1, 2048]))


def imperative():
    fluid.enable_dygraph(fluid.CPUPlace())
    model = ResNet()
    momentum = fluid.optimizer.Momentum(learning_rate=0.001, momentum=0.9, parameter_list=model.parameters())
    images, labels = data.resnet()

    def step():
        prediction = model(fluid.dygraph.to_variable(images))
        loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, fluid.dygraph.to_variable(labels)))
        loss.backward()
        momentum.minimize(loss)
        model.clear_gradients()
        return loss.numpy()

    return step
