"""An epoch of fluid.io.DataLoader with 2 workers."""

import numpy as np

import paddle.fluid as fluid
from workloads.data_workers import BATCH, WORKERS, Work


class Digits(Work, fluid.io.Dataset):
    pass


def loader():
    place = fluid.CPUPlace()
    image = fluid.data(name="image", shape=[None, 784], dtype="float32")
    label = fluid.data(name="label", shape=[None, 1], dtype="int64")
    batches = fluid.io.DataLoader(
        Digits(), feed_list=[image, label], places=[place], batch_size=BATCH, num_workers=WORKERS
    )

    def step():
        return [float(np.array(feed["image"])[0, 0]) for (feed,) in batches]

    return step
