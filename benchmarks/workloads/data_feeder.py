"""DataFeeder on 512 sequences of 1 to 100 words."""

import numpy as np

import paddle.fluid as fluid


def sequences():
    words = fluid.layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
    feeder = fluid.DataFeeder(feed_list=[words], place=fluid.CPUPlace())
    rng = np.random.RandomState(0)
    batch = [(rng.randint(0, 10000, rng.randint(1, 101)).tolist(),) for _ in range(512)]

    def step():
        return np.array(feeder.feed(batch)["words"])

    return step
