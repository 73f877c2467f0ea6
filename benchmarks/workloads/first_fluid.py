"""The first `exe.run` of large training programs in Fluid 1.8: from the program to the plan to the first loss.

The program is built and its parameters initialised before the clock starts.
"""

import paddle.fluid as fluid
from workloads import bert_fluid, data, resnet_fluid


def started(loss):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return lambda feed: exe.run(fluid.default_main_program(), feed=feed, fetch_list=[loss])[0]


def resnet():
    run = started(resnet_fluid.training_program())
    images, labels = data.resnet()
    return lambda: run({"image": images, "label": labels})


def bert():
    run = started(bert_fluid.training_program())
    words, positions, targets = data.bert()
    return lambda: run({"words": words, "positions": positions, "targets": targets})
