"""Shows that Fluid 1.8.5 trains with the programs that Refluid saves.

    python tools/oracle/trainings_back.py write FOLDER [name ...]     # Refluid's Python
    python tools/oracle/trainings_back.py check FOLDER [name ...]     # Fluid's

`write` saves the programs of all trainings (of training.py, models.py and here) with what their variables hold after
the start-up program, and records a few losses; `check` reads the programs, starts from the same values, and compares.
"""

import json
import os
import sys

import numpy as np
from models import MODELS
from record_models import as_feed, difference
from training import TRAININGS, feeds

import paddle.fluid as fluid
from paddle.fluid import layers

STEPS = 3
RANDOM = {"normalized"}  # the dropout of two engines differs


def fit(hidden, y):
    loss = layers.mean(layers.square_error_cost(layers.fc(hidden, size=1), y))
    fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
    return loss, None


def looping(hidden, y):
    """A layer that is applied three times, its results in an array."""
    i, count = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", 3)
    results = layers.array_write(hidden, i)
    condition = layers.less_than(i, count)
    loop = layers.While(condition)
    with loop.block():
        before = layers.array_read(results, i)
        after = layers.fc(before, size=4, act="tanh")
        layers.increment(i, 1, in_place=True)
        layers.array_write(after, i, results)
        layers.less_than(i, count, cond=condition)
    return fit(layers.array_read(results, count), y)


def branching(hidden, y):
    limit = layers.fill_constant([1], "float32", -100.0)
    taken = layers.less_than(limit, layers.reduce_sum(hidden))
    return fit(layers.cond(taken, lambda: layers.fc(hidden, size=4, act="relu"), lambda: hidden * 2), y)


def recurrent(hidden, y):
    words = layers.reshape(hidden, [3, 2, 4])
    rnn = layers.StaticRNN()
    with rnn.step():
        word = rnn.step_input(words)
        memory = rnn.memory(shape=[-1, 4], batch_ref=word)
        after = layers.fc([word, memory], size=4, act="tanh")
        rnn.update_memory(memory, after)
        rnn.step_output(after)
    return fit(layers.reshape(rnn(), [6, 4]), y)


def sequences():
    """A recurrent network over sequences of unequal lengths."""
    x = layers.data(name="x", shape=[4], dtype="float32", lod_level=1)
    y = layers.data(name="y", shape=[1], dtype="float32")
    rnn = layers.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(x)
        memory = rnn.memory(shape=[4], value=0.0)
        after = layers.fc([word, memory], size=4, act="tanh")
        rnn.update_memory(memory, after)
        rnn.output(after)
    loss, _ = fit(layers.sequence_last_step(rnn()), y)
    return loss, {"x": (feeds()["x"], [[1, 3, 2]]), "y": feeds()["y"][:3]}


BLOCKS = {"looping_training": looping, "branching_training": branching, "recurrent_training": recurrent}


def with_blocks(name):
    x = layers.data(name="x", shape=[4], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    return BLOCKS[name](layers.fc(x, size=4, act="tanh"), y)


def build(name):
    """The loss of a training and what to feed."""
    if name == "sequences":
        return sequences()
    if name in MODELS:
        fed, _, _, loss = MODELS[name]()
        return loss, fed
    loss, _ = with_blocks(name) if name in BLOCKS else TRAININGS[name]()
    block = fluid.default_main_program().global_block()
    return loss, {key: value for key, value in feeds().items() if block.has_var(key)}


def write(folder, name):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    target = os.path.join(folder, name)
    with fluid.unique_name.guard(), fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        loss, fed = build(name)
        if loss is None:
            return
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        fluid.io.save_persistables(exe, target, main, filename="persistables")
        for program, file_name in ((main, "main"), (startup, "startup")):
            with open(os.path.join(target, file_name), "wb") as file:
                file.write(program.desc.serialize_to_string())
        losses = [exe.run(main, as_feed(fed), [loss])[0].item() for _ in range(STEPS)]
        held = [var.name for var in main.list_vars() if var.persistable]
        values = {name: np.array(fluid.global_scope().find_var(name).get_tensor()).tolist() for name in held}
    with open(os.path.join(target, "record.json"), "w") as file:
        json.dump({"loss": loss.name, "losses": losses, "values": values}, file)


def check(folder, name):
    """The largest difference of losses and values after the last step; None where there is nothing to check."""
    target = os.path.join(folder, name)
    if not os.path.isdir(target):
        return None
    with open(os.path.join(target, "record.json")) as file:
        record = json.load(file)
    with fluid.unique_name.guard(), fluid.program_guard(fluid.Program(), fluid.Program()):
        _, fed = build(name)
    main, startup = (fluid.Program.parse_from_string(read(os.path.join(target, part))) for part in ("main", "startup"))
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fluid.io.load_persistables(exe, target, main, filename="persistables")
        losses = [exe.run(main, feed=as_feed(fed), fetch_list=[record["loss"]])[0].item() for _ in range(STEPS)]
        if name in RANDOM:
            return 0.0 if np.isfinite(losses).all() else float("inf")
        values = [np.array(fluid.global_scope().find_var(key).get_tensor()) for key in record["values"]]
    return max(difference(record["losses"], losses), difference(list(record["values"].values()), values))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(action, folder, *names):
    bad = []
    for name in names or list(TRAININGS) + list(BLOCKS) + ["sequences"] + list(MODELS):
        try:
            result = {"write": write, "check": check}[action](folder, name)
        except Exception as error:
            result, lines = float("inf"), str(error).splitlines()
            print(name, next((line for line in lines if "Error:" in line), lines[:1]))
        if result is not None:
            print(name, "largest difference %.3g" % result)
            bad += [name] if not result < 1e-4 else []
    if bad:
        sys.exit("differ: " + ", ".join(bad))


if __name__ == "__main__":
    main(*sys.argv[1:])
