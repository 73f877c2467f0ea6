"""Processor time of making plans, and of running small ones, in milliseconds; the least of several rounds.

    .venv/bin/python benchmarks/plans.py
    .venv/bin/python benchmarks/plans.py --src ../other/src    # of another clone, to compare with

Making a plan is what the first `Executor.run` of a program costs besides running; `make bench` times the runs.
"""

import argparse
import sys
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--src", default=str(Path(__file__).parent.parent / "src"), help="the sources to time")
parser.add_argument("--rounds", type=int, default=7)
options = parser.parse_args()
sys.path[:0] = [options.src, str(Path(__file__).parent)]

# The sources to time are on the path first.
import numpy as np  # noqa: E402
import torch  # noqa: E402

import paddle.fluid as fluid  # noqa: E402
from refluid.executor.plan import Plan  # noqa: E402
from workloads import mnist_fluid, resnet_fluid  # noqa: E402

HIDDEN, STEPS, BATCH = 64, 200, 8


def least(step, rounds):
    times = []
    for _ in range(rounds):
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def unrolled(steps=STEPS):
    """The loss of one LSTM cell, written out step by step, with its training."""
    x = fluid.data("x", [BATCH, steps, HIDDEN])
    target = fluid.data("target", [BATCH, HIDDEN])
    hidden = cell = fluid.data("cell", [BATCH, HIDDEN])
    weight = fluid.layers.create_parameter([2 * HIDDEN, 4 * HIDDEN], "float32", name="gates_w")
    bias = fluid.layers.create_parameter([4 * HIDDEN], "float32", name="gates_b", is_bias=True)
    for t in range(steps):
        now = fluid.layers.slice(x, [1], [t], [t + 1])
        joined = fluid.layers.concat([fluid.layers.reshape(now, [BATCH, HIDDEN]), hidden], 1)
        gates = fluid.layers.elementwise_add(fluid.layers.matmul(joined, weight), bias)
        i, j, f, o = fluid.layers.split(gates, num_or_sections=4, dim=-1)
        cell = cell * fluid.layers.sigmoid(f) + fluid.layers.sigmoid(i) * fluid.layers.tanh(j)
        hidden = fluid.layers.tanh(cell) * fluid.layers.sigmoid(o)
    loss = fluid.layers.reduce_mean(fluid.layers.square(hidden - target))
    fluid.optimizer.SGD(0.1).minimize(loss)
    return loss


def loop():
    """The loss of a `while` of 30 rounds, with its training."""
    x = fluid.data("x", [BATCH, HIDDEN])
    i, end = fluid.layers.fill_constant([1], "int64", 0), fluid.layers.fill_constant([1], "int64", 30)

    def body(i, state):
        state = fluid.layers.fc(state, HIDDEN, act="tanh", param_attr="loop_w", bias_attr="loop_b")
        return [fluid.layers.increment(i, in_place=False), state]

    _, state = fluid.layers.while_loop(lambda i, state: fluid.layers.less_than(i, end), body, [i, x])
    loss = fluid.layers.reduce_mean(fluid.layers.square(state))
    fluid.optimizer.SGD(0.01).minimize(loss)
    return loss


def plan_of(loss):
    program = fluid.default_main_program()
    feeds = tuple(v.name for v in program.global_block().vars.values() if v.is_data)
    return lambda: Plan(program, feeds, frozenset(), (loss.name,), torch.device("cpu"))


def run_of(loss):
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    block = fluid.default_main_program().global_block()
    rng = np.random.RandomState(0)
    feed = {v.name: rng.rand(*v.shape).astype("float32") for v in block.vars.values() if v.is_data}

    def step():
        return exe.run(feed=feed, fetch_list=[loss])

    step()
    return step


def alone(make):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        with fluid.scope_guard(fluid.Scope()):
            return make()


def many(step, times):
    return lambda: [step() for _ in range(times)]


def figures(rounds):
    yield "plan of ResNet-50 training", alone(lambda: least(plan_of(resnet_fluid.training_program()), rounds))
    yield "plan of an LSTM of 200 steps", alone(lambda: least(plan_of(unrolled()), rounds))
    yield "plan of a while loop", alone(lambda: least(plan_of(loop()), rounds * 3))
    yield "100 steps of MNIST", alone(lambda: least(many(mnist_fluid.static(), 100), rounds))
    yield "10 steps of the LSTM", alone(lambda: least(many(run_of(unrolled()), 10), rounds))
    yield "100 steps of the while loop", alone(lambda: least(many(run_of(loop()), 100), rounds))


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name, took in figures(options.rounds):
        print(f"{name:32}{took:9.1f} ms", flush=True)
