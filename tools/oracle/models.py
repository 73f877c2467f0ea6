"""Small models in plain Fluid code, for the files that they are saved to.

A registered function builds a network in the default programs and returns (what is fed for a training step, the feeds
of the inference model, its targets, a loss or None). Fed are arrays, or (array, lengths per LoD level) for sequences.
"""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers

MODELS = {}


def model(function):
    MODELS[function.__name__] = function
    return function


def numbers(*shape, seed=1):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")


def labels(count, classes, seed=2):
    return np.random.RandomState(seed).randint(0, classes, (count, 1)).astype("int64")


@model
def linear():
    x = layers.data(name="x", shape=[4], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    out = layers.fc(input=x, size=1)
    loss = layers.mean(layers.square_error_cost(input=out, label=y))
    fluid.optimizer.Adam(learning_rate=0.05).minimize(loss)
    return {"x": numbers(5, 4), "y": numbers(5, 1)}, ["x"], [out], loss


@model
def lenet():
    image = layers.data(name="img", shape=[1, 20, 20], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")
    x = fluid.nets.simple_img_conv_pool(
        input=image, filter_size=5, num_filters=4, pool_size=2, pool_stride=2, act="relu"
    )
    x = fluid.nets.simple_img_conv_pool(input=x, filter_size=5, num_filters=6, pool_size=2, pool_stride=2, act="relu")
    out = layers.fc(input=x, size=10, act="softmax")
    loss = layers.mean(layers.cross_entropy(input=out, label=label))
    fluid.optimizer.Momentum(learning_rate=0.01, momentum=0.9).minimize(loss)
    return {"img": numbers(3, 1, 20, 20), "label": labels(3, 10)}, ["img"], [out], loss


@model
def normalized():
    """Batch normalisation and dropout, which an inference model runs in test mode."""
    image = layers.data(name="img", shape=[3, 8, 8], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")
    x = layers.conv2d(input=image, num_filters=4, filter_size=3, padding=1, bias_attr=False)
    x = layers.batch_norm(input=x, act="relu", momentum=0.5)
    x = layers.dropout(x, dropout_prob=0.3)
    features = layers.pool2d(input=x, pool_type="avg", global_pooling=True)
    out = layers.fc(input=features, size=5, act="softmax")
    loss = layers.mean(layers.cross_entropy(input=out, label=label))
    fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
    return {"img": numbers(4, 3, 8, 8), "label": labels(4, 5)}, ["img"], [out, features], loss


def conv_bn(x, channels, size, stride=1, act=None):
    x = layers.conv2d(
        input=x, num_filters=channels, filter_size=size, stride=stride, padding=(size - 1) // 2, bias_attr=False
    )
    return layers.batch_norm(input=x, act=act)


def bottleneck(x, channels, stride):
    branch = conv_bn(x, channels, 1, act="relu")
    branch = conv_bn(branch, channels, 3, stride, act="relu")
    branch = conv_bn(branch, channels * 4, 1)
    if x.shape[1] != channels * 4 or stride != 1:
        x = conv_bn(x, channels * 4, 1, stride)
    return layers.elementwise_add(x=x, y=branch, act="relu")


def resnet50_of(width, size, classes):
    image = layers.data(name="image", shape=[3, size, size], dtype="float32")
    x = conv_bn(image, width, 7, 2, act="relu")
    x = layers.pool2d(input=x, pool_size=3, pool_stride=2, pool_padding=1, pool_type="max")
    for stage, count in enumerate((3, 4, 6, 3)):
        for block in range(count):
            x = bottleneck(x, width * 2**stage, 2 if block == 0 and stage else 1)
    x = layers.pool2d(input=x, pool_type="avg", global_pooling=True)
    return layers.fc(input=x, size=classes)


@model
def resnet50():
    """All layers of ResNet-50, two channels wide."""
    out = resnet50_of(2, 32, 6)
    return {"image": numbers(2, 3, 32, 32)}, ["image"], [out], None


@model
def sentiment():
    """Sequences of different lengths: embedding and two convolutions over words."""
    words = layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
    label = layers.data(name="label", shape=[1], dtype="int64")
    vectors = layers.embedding(input=words, size=[30, 6], is_sparse=True)
    parts = [
        fluid.nets.sequence_conv_pool(input=vectors, num_filters=5, filter_size=size, act="tanh", pool_type="sqrt")
        for size in (3, 4)
    ]
    out = layers.fc(input=parts, size=2, act="softmax")
    loss = layers.mean(layers.cross_entropy(input=out, label=label))
    fluid.optimizer.Adagrad(learning_rate=0.02).minimize(loss)
    return {"words": (labels(9, 30), [[2, 4, 3]]), "label": labels(3, 2)}, ["words"], [out], loss


@model
def word2vec():
    """Four words share one embedding by its name."""
    words = [layers.data(name="word_%d" % i, shape=[1], dtype="int64") for i in range(4)]
    target = layers.data(name="target", shape=[1], dtype="int64")
    vectors = [layers.embedding(input=word, size=[20, 5], dtype="float32", param_attr="shared_w") for word in words]
    hidden = layers.fc(input=layers.concat(input=vectors, axis=1), size=8, act="sigmoid")
    out = layers.fc(input=hidden, size=20, act="softmax")
    loss = layers.mean(layers.cross_entropy(input=out, label=target))
    fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
    fed = {"word_%d" % i: labels(6, 20, seed=i) for i in range(4)}
    return dict(fed, target=labels(6, 20, seed=9)), ["word_%d" % i for i in range(4)], [out], loss


@model
def spelled():
    """Operators that were spelled otherwise before 1.8, or have got attributes since."""
    x = layers.data(name="x", shape=[4, 6], dtype="float32")
    word = layers.data(name="word", shape=[1], dtype="int64")
    y = layers.transpose(layers.reshape(x, [0, 2, 2, 6]), [0, 2, 1, 3])
    y = layers.unsqueeze(layers.squeeze(layers.slice(y, axes=[1], starts=[0], ends=[1]), [1]), [1])
    left, right = layers.split(layers.flatten(y), 2, dim=1)
    y = layers.concat([layers.expand(left, [1, 2]), right], axis=1)
    y = layers.fc(y, size=8, act="leaky_relu")
    embedded = layers.embedding(word, size=[9, 8], padding_idx=0)
    y = layers.elementwise_mul(layers.matmul(y, layers.fc(embedded, size=8), transpose_y=True), layers.reduce_sum(y))
    y = layers.dropout(layers.clip(layers.scale(y, 0.5, bias=1.0), -9.0, 9.0), dropout_prob=0.4)
    known = layers.cast(layers.one_hot(word, depth=5), "float32")
    filled = layers.fill_constant_batch_size_like(known, shape=[-1, 5], dtype="float32", value=0.25)
    sums = layers.sums([known, filled, layers.fill_constant([1, 5], "float32", 0.5) + known])
    values, places = layers.topk(layers.softmax(y), k=2)
    image = layers.pad2d(layers.unsqueeze(x, [1]), [1, 1, 0, 0])
    image = layers.resize_bilinear(layers.conv2d(image, num_filters=2, filter_size=3, groups=1), out_shape=[5, 5])
    image = layers.pool2d(image, pool_size=2, pool_stride=2, ceil_mode=True)
    fed = {"x": numbers(3, 4, 6), "word": np.array([[0], [3], [4]], "int64")}
    return fed, ["x", "word"], [values, places, sums, image, layers.stack([known, known], axis=1)], None


@model
def looping():
    """A `while` that squares and adds until a number of rounds is reached."""
    x = layers.data(name="x", shape=[3], dtype="float32")
    rounds = layers.data(name="rounds", shape=[1], dtype="int64", append_batch_size=False)
    state = layers.fc(input=x, size=3, act="tanh")
    i = layers.fill_constant(shape=[1], dtype="int64", value=0)
    going = layers.less_than(x=i, y=rounds)
    loop = layers.While(cond=going)
    with loop.block():
        layers.assign(layers.scale(layers.square(state), scale=0.5, bias=0.1), state)
        layers.increment(x=i, value=1, in_place=True)
        layers.less_than(x=i, y=rounds, cond=going)
    return {"x": numbers(2, 3), "rounds": np.array([4], "int64")}, ["x", "rounds"], [state], None


class Digits(fluid.dygraph.Layer):
    """A recogniser of the imperative mode, with statistics among its state."""

    def __init__(self):
        super(Digits, self).__init__()
        self.conv = fluid.dygraph.Conv2D(num_channels=1, num_filters=3, filter_size=3, act="relu")
        self.norm = fluid.dygraph.BatchNorm(3, momentum=0.5)
        self.pool = fluid.dygraph.Pool2D(pool_size=2, pool_stride=2)
        self.fc = fluid.dygraph.Linear(3 * 3 * 3, 4)

    def forward(self, x):
        x = self.pool(self.norm(self.conv(x)))
        return self.fc(layers.reshape(x, shape=[-1, 27]))


def digits_step(net, optimizer):
    """One training step of `Digits`; the loss."""
    image = fluid.dygraph.to_variable(numbers(5, 1, 8, 8))
    label = fluid.dygraph.to_variable(labels(5, 4))
    loss = layers.mean(layers.softmax_with_cross_entropy(net(image), label))
    loss.backward()
    optimizer.minimize(loss)
    net.clear_gradients()
    return loss.numpy().item()


def digits_optimizer(net):
    schedule = fluid.dygraph.PiecewiseDecay([2, 4], [0.05, 0.02, 0.01], 0)
    return fluid.optimizer.Adam(schedule, parameter_list=net.parameters())
