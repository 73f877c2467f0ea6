"""Recurrent networks at random, written out step by step: plans with and without passes give the same numbers.

python -m tests.executor.test_unrolled_at_random 0 400
"""

import random
import sys

import numpy as np
import pytest
from tests.executor.test_recurrence import STEPS, WIDTH, run

import paddle.fluid as fluid
from paddle.fluid import layers


def linear(x, size, name, act=None):
    return layers.fc(x, size, act=act, param_attr=f"{name}.w", bias_attr=f"{name}.b")


class Cell:
    def __init__(self, rng, name, kind, first):
        self.name, self.kind, self.state, self.memory = name, kind, first, first
        self.swapped, self.drops = rng.random() < 0.3, rng.random() < 0.2

    def step(self, x):
        h = self.state
        joined = layers.concat([h, x] if self.swapped else [x, h], 1)
        if self.kind == "lstm":
            f, i, j, o = layers.split(linear(joined, 4 * WIDTH, self.name), 4, 1)
            self.memory = self.memory * layers.sigmoid(f) + layers.sigmoid(i) * layers.tanh(j)
            self.state = layers.tanh(self.memory) * layers.sigmoid(o)
        elif self.kind == "gru":
            u, r = layers.split(linear(joined, 2 * WIDTH, self.name, "sigmoid"), 2, 1)
            new = linear(layers.concat([x, r * h], 1), WIDTH, f"{self.name}.new", "tanh")
            self.state = u * h + (1 - u) * new
        else:
            self.state = linear(joined, WIDTH, self.name, "tanh")
        return layers.dropout(self.state, 0.3) if self.drops else self.state


def build(rng, x):
    """The loss of a network of one to three layers, some with one weight for all, skips, or their output fed back."""
    first = layers.fill_constant_batch_size_like(x, [-1, WIDTH], "float32", 0.1)
    shared, fed_back, kind = rng.random() < 0.2, rng.random() < 0.15, rng.choice(["lstm", "gru", "plain"])
    cells = [Cell(rng, "cell" if shared else f"cell_{i}", kind, first) for i in range(rng.randint(1, 3))]
    context = layers.reduce_mean(x, 1)
    outs = []
    for t in range(STEPS):
        below = x[:, t] if rng.random() < 0.9 else context
        if fed_back and outs:
            below = below + outs[-1]
        for cell in cells:
            out = cell.step(below)
            below = out if rng.random() < 0.8 else out + below
        outs.append(below)
    return layers.mean(layers.concat(outs, 1) if rng.random() < 0.6 else outs[-1])


def names_to_fetch(rng, main, x, loss):
    names = [loss.name]
    if rng.random() < 0.7:
        if rng.random() < 0.5:
            fluid.backward.append_backward(loss)
        else:
            fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
        names += [f"{p.name}@GRAD" for p in main.all_parameters()]
        names += [] if x.stop_gradient else ["x@GRAD"]
    if rng.random() < 0.3:  # what is fetched must be computed
        inner = [name for name in main.global_block().vars if "concat" in name or "tmp_0@GRAD" in name]
        names.append(rng.choice(inner))
    return names


def check(seed):
    """Whether inputs were taken out of the recurrence; fails where the numbers differ."""
    rng = random.Random(seed)
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = seed + 1
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [-1, STEPS, WIDTH])
        x.stop_gradient = rng.random() < 0.4
        names = names_to_fetch(rng, main, x, build(rng, x))
    _, expected = run(main, startup, names, optimize=False)
    text, found = run(main, startup, names, optimize=True)
    for name, a, b in zip(names, expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-5, atol=1e-6 * max(1, np.abs(a).max()), err_msg=f"{seed}: {name}")
    return "inputs_ahead(" in text


@pytest.mark.parametrize("start", range(0, 30, 10))
def test_a_network_computes_the_same_with_and_without_passes(start):
    assert sum(check(seed) for seed in range(start, start + 10)) >= 3


if __name__ == "__main__":
    first, last = map(int, sys.argv[1:])
    print(sum(check(seed) for seed in range(first, last)), "of", last - first, "had inputs taken out")
