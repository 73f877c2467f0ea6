"""What rewritten functions call: the user's functions, methods, layers and objects are rewritten, libraries are not."""

import functools
import math

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import Layer, LayerList, Linear, Sequential, declarative, to_variable

SCALE = 3.0


def halve(x, by=2.0):
    if layers.mean(x) > 0:
        return x / by
    return x


def logged(function):
    @functools.wraps(function)
    def run(*args, **kwargs):
        run.calls += 1
        return function(*args, **kwargs)

    run.calls = 0
    return run


@logged
def wrapped(x):
    return x * 2 if layers.mean(x) > 0 else x


class Positive:
    """An object that is called."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        if layers.mean(x) > 0:
            x = x * self.factor
        return x

    @property
    def double(self):
        return self.factor * 2

    @staticmethod
    def negative(x):
        return -x if layers.mean(x) > 0 else x

    @classmethod
    def both(cls, x):
        return cls(2.0)(cls.negative(x))


class Block(Layer):
    def __init__(self, size):
        super().__init__()
        self.fc = Linear(size, size)

    def forward(self, x):
        if layers.mean(x) > 0:
            return self.fc(x)
        return self.scaled(x)

    def scaled(self, x):
        return x * SCALE


class Net(Layer):
    def __init__(self):
        super().__init__()
        self.blocks = LayerList([Block(2) for _ in range(2)])
        self.chain = Sequential(Block(2), Block(2))
        self.object = Positive(1.5)
        self.__hidden = 0.5

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        x = self.chain(x) + self.blocks[0].scaled(x)
        x = self.object(x) * self.object.double + self.__hidden
        return self.helper(x, flip=True)

    def helper(self, x, flip=False):
        if flip and layers.mean(x) > 0:
            x = -x
        return Positive.negative(x) + Positive.both(x)


class StaticNet(Net):
    @declarative
    def forward(self, x):
        return super().forward(x) + super().helper(x)


class PlainNet(Net):
    def forward(self, x):
        return super().forward(x) + super().helper(x)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_layers_methods_objects_and_inheritance(sign):
    results = []
    for cls in (PlainNet, StaticNet):
        with fluid.dygraph.guard():
            fluid.default_startup_program().random_seed = 4
            net = cls()
            x = to_variable(sign * np.array([[1.0, 2.0]], "float32"))
            x.stop_gradient = False
            out = net(x)
            layers.mean(out * out).backward()
            results.append([out.numpy(), x.gradient(), net.blocks[0].fc.weight.gradient()])
    for plain, ours in zip(*results, strict=True):
        assert (plain is None) == (ours is None)  # a weight in a branch that was not taken
        if plain is not None:
            np.testing.assert_allclose(ours, plain, rtol=1e-6)


@pytest.mark.parametrize("function", [
    functools.partial(halve, by=4.0), wrapped, Positive(2.0), lambda x: halve(x), halve,
], ids=["partial", "wrapped", "object", "lambda", "function"])  # fmt: skip
def test_whatever_is_callable_can_be_called(function):
    def calls(x):
        return function(x) + 1

    with fluid.dygraph.guard():
        for sign in (1, -1):
            x = to_variable(np.array([sign * 4.0], "float32"))
            plain = calls(x).numpy()
            if isinstance(function, type(halve)) and function.__name__ == "<lambda>":
                continue  # a lambda of another function is left as it is
            np.testing.assert_array_equal(declarative(calls)(x).numpy(), plain)


def test_functions_of_libraries_are_left_alone():
    @declarative
    def mixed(x):
        angle = math.pi / len([1, 2])
        weights = np.cumsum(np.ones(2, "float32"))
        return x * math.sin(angle) + layers.assign(weights) + functools.reduce(lambda a, b: a + b, [1, 2, 3])

    with fluid.dygraph.guard():
        np.testing.assert_allclose(mixed(to_variable(np.zeros(2, "float32"))).numpy(), [7.0, 8.0])


def test_control_flow_of_fluid_works_inside():
    @declarative
    def loops(x):
        _, x = layers.while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, halve(x)), [layers.fill_constant([1], "int64", 0), x]
        )
        return layers.cond(layers.mean(x) > 0, lambda: x * 2, lambda: x)

    with fluid.dygraph.guard():
        np.testing.assert_allclose(loops(to_variable(np.array([8.0], "float32"))).numpy(), [2.0])


def test_constants_become_part_of_the_program():
    table = np.arange(4, dtype="float32")

    @declarative
    def shifted(x):
        return x + to_variable(table) + to_variable(2.0)

    with fluid.dygraph.guard():
        shift = to_variable(np.ones(4, "float32"))
        np.testing.assert_array_equal(shifted(to_variable(np.zeros(4, "float32"))).numpy(), table + 2)

        @declarative
        def with_variable(x):
            return x + shift

        np.testing.assert_array_equal(with_variable(to_variable(table)).numpy(), table + 1)


def test_globals_and_closures_are_those_of_the_function():
    count = 0

    @declarative
    def counted(x):
        nonlocal count
        count += 1
        if layers.mean(x) > 0:
            x = x * SCALE
        return x

    with fluid.dygraph.guard():
        x = to_variable(np.array([1.0], "float32"))
        assert counted(x).numpy() == 3 and counted(x).numpy() == 3
    assert count == 1  # Python runs while the program is recorded


def test_a_condition_on_a_parameter_is_asked_in_every_run():
    class Gate(Layer):
        def __init__(self):
            super().__init__()
            self.gate = self.create_parameter([1], default_initializer=fluid.initializer.Constant(1.0))

        @declarative
        def forward(self, x):
            if self.gate > 0:
                return x
            return x * 0

    with fluid.dygraph.guard():
        net = Gate()
        x = to_variable(np.array([5.0], "float32"))
        assert net(x).numpy() == 5
        net.gate.set_value(np.array([-1.0], "float32"))
        assert net(x).numpy() == 0


def test_instances_can_be_made_declarative():
    with fluid.dygraph.guard():
        net = Block(2)
        net.forward = declarative(net.forward)
        x = to_variable(np.array([[1.0, 2.0]], "float32"))
        np.testing.assert_allclose(net(x).numpy(), net.fc(x).numpy(), rtol=1e-6)
        assert net.forward.__func__.programs_for((net,)).exact
