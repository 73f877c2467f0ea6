"""One process of a cluster that learns the next item of sessions by a GRU, in plain Fluid, as public programs do.

    python gru4rec_fluid.py pserver|trainer NUMBER ENDPOINTS TRAINERS FOLDER

An embedding, a GRU and a softmax over all items; batches of 5 sessions, sorted by length; trainer 0 exports the model
after each pass into FOLDER. A trainer prints one line at its end.
"""

import os
import sys

import numpy as np

import paddle.fluid as fluid

ITEMS, WIDTH, BATCH, BATCHES, PASSES = 10000, 100, 5, 60, 3


def network():
    source = fluid.data("source", [None, 1], dtype="int64", lod_level=1)
    following = fluid.data("following", [None, 1], dtype="int64", lod_level=1)

    def uniform(rate=1.0):
        return fluid.ParamAttr(initializer=fluid.initializer.Uniform(-0.04, 0.04), learning_rate=rate)

    rows = fluid.embedding(source, [ITEMS, WIDTH], param_attr=uniform(10.0), is_sparse=True)
    gates = fluid.layers.fc(rows, WIDTH * 3, param_attr=uniform())
    hidden = fluid.layers.dynamic_gru(gates, WIDTH, param_attr=uniform())
    guess = fluid.layers.fc(hidden, ITEMS, act="softmax", param_attr=uniform())
    accuracy = fluid.layers.accuracy(guess, following, k=20)
    return fluid.layers.mean(fluid.layers.cross_entropy(guess, following)), accuracy


def batches(number):
    """Sessions whose next item follows from the last."""
    chance = np.random.RandomState(number)
    for _ in range(BATCHES):
        lengths = sorted(chance.randint(3, 13, BATCH), reverse=True)
        items = [(chance.randint(ITEMS) * 7 ** np.arange(length + 1)) % ITEMS for length in lengths]
        yield [
            fluid.create_lod_tensor(
                np.concatenate(parts).reshape(-1, 1).astype("int64"), [[int(n) for n in lengths]], fluid.CPUPlace()
            )
            for parts in ([one[:-1] for one in items], [one[1:] for one in items])
        ]


def serve(transpiler, endpoint):
    exe = fluid.Executor(fluid.CPUPlace())
    program = transpiler.get_pserver_program(endpoint)
    exe.run(transpiler.get_startup_program(endpoint, program))
    exe.run(program)


def train(transpiler, number, loss, accuracy, folder):
    exe = fluid.Executor(fluid.CPUPlace())
    program = transpiler.get_trainer_program()
    exe.run(fluid.default_startup_program())
    for turn in range(PASSES):
        for source, following in batches(number):
            value = exe.run(program, feed={"source": source, "following": following}, fetch_list=[loss.name])[0]
        if number == 0:
            path = os.path.join(folder, "pass" + str(turn))
            fluid.io.save_inference_model(path, ["source", "following"], [loss, accuracy], exe)
    print("trained", float(np.ravel(value)[0]), flush=True)


def main():
    role, number, endpoints, trainers, folder = sys.argv[1:]
    loss, accuracy = network()
    fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
    transpiler = fluid.DistributeTranspiler()
    transpiler.transpile(int(number) if role == "trainer" else 0, pservers=endpoints, trainers=int(trainers))
    if role == "pserver":
        serve(transpiler, endpoints.split(",")[int(number)])
    else:
        train(transpiler, int(number), loss, accuracy, folder)


if __name__ == "__main__":
    main()
