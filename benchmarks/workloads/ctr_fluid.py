"""Training step of a CTR network in Fluid 1.8: 26 slots of ids, each with a sparse table of its own, three layers."""

import itertools

import paddle.fluid as fluid
from workloads import data


def static():
    dense = fluid.layers.data("dense", [data.CTR_DENSE], dtype="float32")
    slots = [fluid.layers.data("slot" + str(i), [1], dtype="int64") for i in range(data.CTR_SLOTS)]
    label = fluid.layers.data("label", [1], dtype="int64")
    size = [data.CTR_ROWS, data.CTR_WIDTH]
    table = fluid.ParamAttr(initializer=fluid.initializer.Uniform(-0.01, 0.01))
    rows = [fluid.layers.embedding(slot, size, is_sparse=True, param_attr=table) for slot in slots]
    hidden = fluid.layers.concat(rows + [dense], axis=1)
    for width in data.CTR_HIDDEN:
        hidden = fluid.layers.fc(hidden, width, act="relu")
    predicted = fluid.layers.fc(hidden, 2, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))
    fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feeds = itertools.cycle(
        [
            dict({"slot" + str(i): ids[i] for i in range(data.CTR_SLOTS)}, dense=values, label=labels)
            for ids, values, labels in data.ctr()
        ]
    )

    def step():
        return exe.run(feed=next(feeds), fetch_list=[loss])[0]

    return step
