"""Straight-line programs at random that update parameters anywhere: plans with and without passes give the same.

Optimizers put updates behind everything else. Programs written by hand need not, so whatever a pass moves, joins or
computes in place has to meet updates of the same parameters before, between and after.

python -m tests.executor.test_updates_at_random 0 1000
"""

import random
import sys

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core.places import CPU
from refluid.executor.plan import Plan

ROWS, SIZE = 3, 4


class Program:
    """Values of a program that grows: rows [3, 4], images [3, 2, 4, 4] and numbers [1]."""

    def __init__(self, rng):
        self.rng = rng
        self.rows, self.images = [fluid.data("x", [ROWS, SIZE])], [fluid.data("image", [ROWS, 2, SIZE, SIZE])]
        self.numbers = []
        for var in (*self.rows, *self.images):
            var.stop_gradient = False
        self.weights = [self.parameter([SIZE, SIZE], f"w_{i}") for i in range(2)]
        self.biases = [self.parameter([SIZE], f"b_{i}") for i in range(2)]
        self.filters = [self.parameter([2, 2, 3, 3], "filter")]
        self.channels = [self.parameter([2], "shift")]
        self.rate = layers.create_global_var([1], 0.05, "float32", persistable=True, name="rate")
        self.norm = [self.parameter([2], name) for name in ("scale", "offset")]
        self.states, self.assigned = {}, False

    def parameter(self, shape, name):
        start = fluid.initializer.Uniform(-0.5, 0.5)
        return layers.create_parameter(shape, "float32", name=name, default_initializer=start)

    def state(self, param, kind, value=0.0):
        name = f"{param.name}_{kind}"
        if name not in self.states:
            shape = [1] if kind.startswith("beta") else param.shape
            self.states[name] = layers.create_global_var(shape, value, "float32", persistable=True, name=name)
        return self.states[name]

    def row(self):
        return self.rng.choice(self.rows[-4:])

    def image(self):
        return self.rng.choice(self.images[-3:])

    # -- what comes next ------------------------------------------------------------------------------------------

    def product(self):
        weight = self.rng.choice(self.weights)
        product = (layers.mul if self.rng.random() < 0.5 else layers.matmul)(self.row(), weight)
        for _ in range(self.rng.randint(0, 2)):  # something else between the product and its bias
            self.step()
        self.rows.append(layers.tanh(layers.elementwise_add(product, self.rng.choice(self.biases))))

    def elementwise(self):
        kind = self.rng.choice([layers.elementwise_add, layers.elementwise_sub, layers.elementwise_mul])
        self.rows.append(layers.tanh(kind(self.row(), self.row())))

    def activation(self):
        self.rows.append(self.rng.choice([layers.relu, layers.sigmoid, layers.softmax, layers.exp])(self.row()) * 0.5)

    def joined(self):
        joined = layers.concat([self.row(), self.row()], 1)
        self.rows.append(joined[:, 1 : SIZE + 1])

    def loss(self):
        pairs = [(self.row(), self.row()), (self.rng.choice(self.weights), self.rng.choice(self.weights))]
        x, y = self.rng.choice(pairs)
        difference = x - y
        self.maybe()
        squares = layers.square(difference)
        self.maybe()
        self.numbers.append(layers.mean(squares))

    def convolution(self):
        out = layers.conv2d(self.image(), 2, 3, padding=1, bias_attr=False, param_attr=fluid.ParamAttr("filter"))
        self.maybe()
        if self.rng.random() < 0.5:
            out = layers.elementwise_add(out, self.channels[0], axis=1)
            self.maybe()
        if self.rng.random() < 0.5:
            out = layers.batch_norm(
                out, is_test=self.rng.random() < 0.5, param_attr=fluid.ParamAttr("scale"), bias_attr="offset",
                moving_mean_name="mean", moving_variance_name="variance",
            )  # fmt: skip
            self.maybe()
        if self.rng.random() < 0.5:
            out = layers.elementwise_add(out, self.image())
        out = layers.relu(out) if self.rng.random() < 0.6 else layers.tanh(out)
        self.images.append(out * 0.3)
        if self.rng.random() < 0.6:
            self.maybe()
            pooled = layers.pool2d(out, 2, "max", 2)
            self.rows.append(layers.tanh(layers.reshape(layers.reduce_mean(pooled, 1), [ROWS, SIZE])))

    def sum(self):
        self.rows.append(layers.sums([self.row(), self.row(), self.row()]) * 0.3)

    def assignment(self):
        group, choose = self.rng.choice([(self.rows, self.row), (self.images, self.image)])
        layers.assign(choose(), self.rng.choice(group[1:] or [choose() * 1.0]))

    def overwritten_weight(self):
        layers.assign(layers.tanh(self.rng.choice(self.weights)), self.rng.choice(self.weights))
        self.assigned = True

    def update(self):
        param = self.rng.choice([*self.weights, *self.biases, *self.filters, *self.channels, *self.norm])
        grads = [layers.tanh(param) * 0.3]
        if param.name.startswith("w_"):
            grads.append(layers.matmul(self.row(), self.row(), transpose_x=True) * 0.1)
        if param.name.startswith("b_"):
            grads.append(layers.reduce_mean(self.row(), 0))
        grad = self.rng.choice(grads)
        kinds = [self.rng.choice(["sgd", "momentum", "adam"])] * self.rng.choice([1, 1, 2, 3])
        for kind in kinds:
            self.apply(kind, param, grad)
            if self.rng.random() < 0.5:
                param = self.rng.choice([one for one in self.parameters() if one.shape == param.shape])

    def parameters(self):
        return [*self.weights, *self.biases, *self.filters, *self.channels, *self.norm]

    def apply(self, kind, param, grad):
        inputs = {"Param": param, "Grad": grad, "LearningRate": self.rate}
        outputs, attrs = {"ParamOut": param}, {}
        if kind == "momentum":
            velocity = self.state(param, "velocity")
            inputs["Velocity"] = outputs["VelocityOut"] = velocity
            attrs = {"mu": 0.9}
        if kind == "adam":
            for slot, name, value in (
                ("Moment1", "moment_1", 0.0), ("Moment2", "moment_2", 0.0), ("Beta1Pow", "beta_1", 0.9),
                ("Beta2Pow", "beta_2", 0.999),
            ):  # fmt: skip
                inputs[slot] = outputs[f"{slot}Out"] = self.state(param, name, value)
        fluid.default_main_program().global_block().append_op(kind, inputs=inputs, outputs=outputs, attrs=attrs)

    def backward(self):
        if self.assigned:  # which value of a weight the gradient is of would be a matter of its own
            return
        loss = layers.reduce_sum(self.row()) + layers.reduce_mean(self.image())
        params = [*self.weights, *self.filters]
        for param, grad in zip(params, fluid.gradients(loss, params), strict=True):
            if grad is not None:
                self.maybe()
                self.apply(self.rng.choice(["sgd", "momentum"]), param, grad)

    def maybe(self):
        if self.rng.random() < 0.2:
            self.rng.choice([self.update, self.overwritten_weight, self.elementwise])()

    def step(self):
        self.rng.choice([
            self.product, self.product, self.elementwise, self.activation, self.joined, self.loss, self.convolution,
            self.sum, self.assignment, self.overwritten_weight, self.update, self.update,
        ])()  # fmt: skip


def build(rng):
    """Names to fetch of a program that is written at random."""
    program = Program(rng)
    for _ in range(rng.randint(3, 12)):
        program.step()
        if rng.random() < 0.07:
            program.backward()
    candidates = [*program.rows[1:], *program.images[1:], *program.numbers]
    return list(dict.fromkeys(var.name for var in rng.sample(candidates, min(len(candidates), 4))))


def results(main, startup, names, optimize):
    """What is fetched in two runs, and the persistables behind them."""
    scope = fluid.Scope()
    fluid.Executor().run(startup, scope=scope)
    plan = Plan(main, ("x", "image"), frozenset(), tuple(names), CPU, optimize)
    feeds = np.random.RandomState(0)
    found = {}
    for run in range(2):
        x, image = (torch.from_numpy(feeds.rand(*shape).astype("float32")) for shape in ((3, 4), (3, 2, 4, 4)))
        values, _ = plan.run([x, image], [None, None], scope)
        found.update({f"{name} of run {run}": value.numpy().copy() for name, value in zip(names, values, strict=True)})
    persistable = [var.name for var in main.list_vars() if var.persistable]
    return found | {name: np.array(scope.find_var(name).get_tensor()) for name in persistable}


def check(seed):
    rng = random.Random(seed)
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = seed + 1
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        names = build(rng)
    expected, found = (results(main, startup, names, optimize) for optimize in (False, True))
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=2e-4, atol=2e-5, err_msg=f"{seed}: {name}")


@pytest.mark.parametrize("seed", range(60))
def test_updates_anywhere_give_the_same_with_and_without_passes(seed):
    check(seed)


if __name__ == "__main__":
    wrong = 0
    for seed in range(*map(int, sys.argv[1:])):
        try:
            check(seed)
        except Exception as error:
            wrong += 1
            print(seed, type(error).__name__, str(error).strip().splitlines()[:2])
    print(wrong, "wrong")
