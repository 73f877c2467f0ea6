"""Training steps over sequences of different lengths in Fluid 1.8: LSTM and GRU over LoDTensors."""

import itertools

import numpy as np

import paddle.fluid as fluid

WORDS, WIDTH, CLASSES = 5000, 132, 2
SEQUENCES, SHORTEST, LONGEST = 32, 5, 100
BATCHES = 4  # lengths differ from step to step, as in training


def batches():
    random = np.random.RandomState(0)
    for _ in range(BATCHES):
        rows = [int(n) for n in random.randint(SHORTEST, LONGEST + 1, SEQUENCES)]
        yield random.randint(0, WORDS, (sum(rows), 1)).astype("int64"), rows


def training(recurrent):
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    label = fluid.data("label", [None, 1], "int64")
    hidden = recurrent(fluid.layers.embedding(words, [WORDS, WIDTH]))
    predicted = fluid.layers.fc(fluid.layers.sequence_pool(hidden, "max"), CLASSES, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))
    fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    ones = np.ones((SEQUENCES, 1), "int64")  # so that every step lowers the loss
    feeds = itertools.cycle(
        [{"words": fluid.create_lod_tensor(ids, [rows], fluid.CPUPlace()), "label": ones} for ids, rows in batches()]
    )

    def step():
        return exe.run(feed=next(feeds), fetch_list=[loss])[0]

    return step


def lstm():
    def layer(x):
        return fluid.layers.dynamic_lstm(fluid.layers.fc(x, 4 * WIDTH), 4 * WIDTH)[0]

    return training(layer)


def gru():
    def layer(x):
        return fluid.layers.dynamic_gru(fluid.layers.fc(x, 3 * WIDTH), WIDTH)

    return training(layer)
