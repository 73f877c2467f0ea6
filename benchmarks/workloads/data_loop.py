"""An epoch of the digit recogniser's training, on batches that a loader makes from samples or that are in memory."""

import numpy as np

import paddle
import paddle.fluid as fluid

BATCHES = 100
BATCH = 64


def network():
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
    return exe, image, label, loss


def samples():
    rng = np.random.RandomState(0)
    images = rng.uniform(-1, 1, (BATCHES * BATCH, 784)).astype("float32")
    images[:, :28] += rng.randint(0, 2, (BATCHES * BATCH, 1)).astype("float32") * 2  # something that can be learnt
    labels = (images[:, :28].mean(1) > 1).astype(int).tolist()
    return list(zip(images, labels))


def memory():
    exe, image, label, loss = network()
    program = fluid.default_main_program()
    feeder = fluid.DataFeeder([image, label], fluid.CPUPlace())
    batches = [feeder.feed(batch) for batch in paddle.batch(lambda: iter(samples()), BATCH)()]

    def step():
        return [exe.run(program, feed=batch, fetch_list=[loss])[0] for batch in batches][-1]

    return step


def loader():
    exe, image, label, loss = network()
    reader = fluid.io.DataLoader.from_generator(feed_list=[image, label], capacity=16)
    digits = samples()
    reader.set_sample_list_generator(paddle.batch(lambda: iter(digits), BATCH), places=fluid.cpu_places(1))
    return epoch_of(exe, reader, loss)


def py_reader():
    exe, image, label, loss = network()
    reader = fluid.io.PyReader(feed_list=[image, label], capacity=16)
    digits = samples()
    reader.decorate_sample_list_generator(paddle.batch(lambda: iter(digits), BATCH), places=fluid.cpu_places(1))
    return epoch_of(exe, reader, loss)


def epoch_of(exe, reader, loss):
    program = fluid.default_main_program()

    def step():
        return [exe.run(program, feed=batch, fetch_list=[loss])[0] for batch in reader()][-1]

    return step
