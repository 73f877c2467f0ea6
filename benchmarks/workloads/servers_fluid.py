"""One process of a training with parameter servers, in plain Fluid: this project's and 1.8.5's run it unchanged.

    python servers_fluid.py pserver|trainer NUMBER WORK MODE ENDPOINTS TRAINERS SECONDS

WORK is `ctr` (26 slots of ids that share a table, three hidden layers), `mlp` (5 million dense parameters) or `small`
(two layers of 20 thousand), MODE is `sync` or `async`. A trainer prints one line of JSON: the median time of a step,
the steps, its processor time per step and the last loss.
"""

import itertools
import json
import os
import statistics
import sys
import time

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.communicator import Communicator, DistributedMode
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import TrainerRuntimeConfig

ROWS = int(os.environ.get("BENCH_ROWS", 1000000))
WIDTH, SLOTS, DENSE = 16, 26, 13
BATCH = {"ctr": 256, "mlp": 64, "small": 64}
FEATURES = {"mlp": 1024, "small": 100}
LEAST_STEPS = 5


def ctr():
    dense = fluid.layers.data("dense", [DENSE], dtype="float32")
    slots = [fluid.layers.data("slot" + str(i), [1], dtype="int64") for i in range(SLOTS)]
    label = fluid.layers.data("label", [1], dtype="int64")
    table = fluid.ParamAttr(name="table", initializer=fluid.initializer.Uniform(-0.01, 0.01))
    rows = [fluid.layers.embedding(slot, [ROWS, WIDTH], is_sparse=True, param_attr=table) for slot in slots]
    hidden = fluid.layers.concat(rows + [dense], axis=1)
    for size in (400, 400, 400):
        hidden = fluid.layers.fc(hidden, size, act="relu")
    return classified(hidden, 2, label)


def mlp():
    x = fluid.layers.data("x", [1024], dtype="float32")
    label = fluid.layers.data("label", [1], dtype="int64")
    hidden = x
    for size in (1584, 1584, 500):
        hidden = fluid.layers.fc(hidden, size, act="relu")
    return classified(hidden, 10, label)


def small():
    x = fluid.layers.data("x", [100], dtype="float32")
    label = fluid.layers.data("label", [1], dtype="int64")
    return classified(fluid.layers.fc(fluid.layers.fc(x, 100, act="relu"), 100, act="relu"), 10, label)


def classified(hidden, classes, label):
    predicted = fluid.layers.fc(hidden, classes, act="softmax")
    return fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))


def batches(work, number):
    """What a trainer goes through again and again: a batch, or eight whose rows are spread over the table."""
    rng = np.random.RandomState(number)
    feeds = []
    for _ in range(8 if work == "ctr" else 1):
        if work == "ctr":
            feed = {"slot" + str(i): rng.randint(0, ROWS, (BATCH[work], 1)).astype("int64") for i in range(SLOTS)}
            feed["dense"] = rng.rand(BATCH[work], DENSE).astype("float32")
            feed["label"] = np.ones((BATCH[work], 1), "int64")  # so that every step lowers the loss
        else:
            feed = {"x": rng.rand(BATCH[work], FEATURES[work]).astype("float32")}
            feed["label"] = rng.randint(0, 10, (BATCH[work], 1)).astype("int64")
        feeds.append(feed)
    return feeds


def transpiled(number, work, mode, endpoints, trainers):
    """(transpiler, loss) of the network of that work."""
    loss = {"ctr": ctr, "mlp": mlp, "small": small}[work]()
    fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
    config = fluid.DistributeTranspilerConfig()
    config.sync_mode = mode == "sync"
    config.runtime_split_send_recv = mode == "async"
    transpiler = fluid.DistributeTranspiler(config=config)
    transpiler.transpile(number, pservers=endpoints, trainers=trainers, sync_mode=mode == "sync")
    return transpiler, loss


def serve(transpiler, endpoint):
    exe = fluid.Executor(fluid.CPUPlace())
    program = transpiler.get_pserver_program(endpoint)
    exe.run(transpiler.get_startup_program(endpoint, program))
    print("listening", flush=True)
    exe.run(program)


def joined(transpiler, loss, number, work, mode):
    """(step, leave) of a trainer; a step gives the loss."""
    exe = fluid.Executor(fluid.CPUPlace())
    program = transpiler.get_trainer_program()
    exe.run(fluid.default_startup_program())
    communicator = None
    if mode == "async":
        flags = TrainerRuntimeConfig()
        flags.mode = DistributedMode.ASYNC
        communicator = Communicator(program, DistributedMode.ASYNC, None, flags.get_communicator_flags())
        communicator.start()
    feeds = itertools.cycle(batches(work, number))

    def step():
        return exe.run(program, feed=next(feeds), fetch_list=[loss])[0]

    def leave():
        if communicator is not None:
            communicator.stop()
        exe.close()

    return step, leave


def train(step, leave, seconds):
    for _ in range(int(os.environ.get("BENCH_WARM_UP", 2))):
        step()
    times = []
    print("training", flush=True)
    end, used = time.time() + seconds, time.process_time()
    while len(times) < LEAST_STEPS or time.time() < end:
        start = time.perf_counter()
        value = step()
        times.append(time.perf_counter() - start)
    used = (time.process_time() - used) / len(times)
    figures = {"time": statistics.median(times), "steps": len(times), "cpu": used, "loss": float(np.ravel(value)[0])}
    print(json.dumps(figures), flush=True)
    leave()


def main():
    role, number, work, mode, endpoints, trainers, seconds = sys.argv[1:]
    number = int(number)
    transpiler, loss = transpiled(number if role == "trainer" else 0, work, mode, endpoints, int(trainers))
    if role == "pserver":
        serve(transpiler, endpoints.split(",")[number])
    else:
        train(*joined(transpiler, loss, number, work, mode), float(seconds))


if __name__ == "__main__":
    main()
