"""Variables of one mode used in the other: refused by name, with what to do, and nothing changes."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet, ModeError

D, L = fluid.dygraph, fluid.layers


def var(*shape):
    return D.to_variable(np.ones(shape, "float32"))


@pytest.fixture
def held():
    """A variable and a layer of the imperative mode, outside of it."""
    with D.guard():
        return var(2, 4), D.Linear(4, 2)


@pytest.fixture
def static():
    return fluid.data("x", [None, 4]), D.Linear(4, 2)


def refused(function, *says, kind=ModeError):
    with pytest.raises(kind) as caught:
        function()
    for part in says:
        assert part in str(caught.value), str(caught.value)


IN_A_PROGRAM = {
    "relu": lambda v, s: L.relu(v),
    "fc": lambda v, s: L.fc(v, 3),
    "conv2d": lambda v, s: L.conv2d(v, 3, 3),
    "sum of both": lambda v, s: s + v,
    "sum, the other way": lambda v, s: v + s,
    "sum of one": lambda v, s: v + v,
    "product with a number": lambda v, s: v * 2,
    "an element": lambda v, s: v[0],
    "less than": lambda v, s: v < v,
    "concat": lambda v, s: L.concat([s, v]),
    "assign": lambda v, s: L.assign(v),
    "cast": lambda v, s: v.astype("int64"),
    "Print": lambda v, s: L.Print(v),
    "py_func": lambda v, s: L.py_func(lambda a: a, v, s),
    "out of py_func": lambda v, s: L.py_func(lambda a: a, s, v),
}


@pytest.mark.parametrize("name", IN_A_PROGRAM)
def test_an_imperative_variable_in_a_program(name, held, static):
    before = str(fluid.default_main_program()), str(fluid.default_startup_program())
    refused(lambda: IN_A_PROGRAM[name](held[0], static[0]), held[0].name, "imperative mode", "fluid.dygraph.guard()")
    assert (str(fluid.default_main_program()), str(fluid.default_startup_program())) == before


def test_an_imperative_layer_in_a_program_names_its_parameter(held, static):
    refused(lambda: held[1](static[0]), "linear_0.w_0, a variable of the imperative mode")


def test_what_has_a_value_keeps_it_outside_its_mode(held):
    value, layer = held
    assert value.numpy().shape == (2, 4) and float(layer.bias.numpy()[0]) == 0.0
    with pytest.raises(ModeError, match="the imperative mode is off"):
        D.grad(value, value)


IMPERATIVELY = {
    "relu": lambda v, s: L.relu(s),
    "sum": lambda v, s: v + s,
    "sum of one": lambda v, s: s + s,
    "an element": lambda v, s: s[0],
    "sums": lambda v, s: L.sums([v, s]),
    "assign": lambda v, s: L.assign(s),
    "to_variable": lambda v, s: D.to_variable(s),
    "set_value": lambda v, s: v.set_value(s),
    "out of py_func": lambda v, s: L.py_func(lambda a: a, v, s),
}


@pytest.mark.parametrize("name", IMPERATIVELY)
def test_a_variable_of_a_program_in_the_imperative_mode(name, static):
    with D.guard():
        refused(lambda: IMPERATIVELY[name](var(2, 4), static[0]), "x, a variable of a static program")


def test_a_layer_of_a_program_in_the_imperative_mode(static):
    with D.guard():
        refused(lambda: static[1](var(2, 4)), "linear_0.w_0, a variable of a static program")


def test_a_variable_of_a_program_has_no_value(static):
    x = static[0]
    for ask in (float, int, lambda v: np.asarray(v, "float32"), lambda v: v.numpy()):
        refused(lambda ask=ask: ask(x), "x is a variable of the static mode", "Executor.run(fetch_list=[...])")
    refused(lambda: x.set_value(np.ones(2)), "set_value: x is a variable of the static mode", "get_tensor().set(")


def test_the_state_of_a_static_layer_in_an_imperative_one(static):
    with D.guard():
        layer = D.Linear(4, 2)
        before = layer.weight.numpy()
        given = {"weight": static[1].weight, "bias": static[1].bias}
        refused(
            lambda: layer.set_dict(given), "2 of 2 entries do not match", "holds no numbers, but Parameter",
            kind=EnforceNotMet,
        )  # fmt: skip
        assert np.array_equal(layer.weight.numpy(), before)


def test_an_imperative_variable_may_be_fed_but_not_fetched(held, static):
    out = L.scale(static[0], 2.0)
    exe = fluid.Executor(fluid.CPUPlace())
    (found,) = exe.run(feed={"x": held[0]}, fetch_list=[out])
    assert (found == 2).all()
    refused(
        lambda: exe.run(feed={"x": held[0]}, fetch_list=[held[0]]), "fetch_list: the program has no variable",
        kind=EnforceNotMet,
    )  # fmt: skip


DECLARED = {
    "py_reader": lambda: L.py_reader(2, [(2, 3)], ["float32"]),
    "While": lambda: L.While(var(1)),
    "Switch": lambda: L.Switch().__enter__(),
    "StaticRNN": lambda: L.StaticRNN().step().__enter__(),
    "DynamicRNN": lambda: L.DynamicRNN().block().__enter__(),
    "IfElse": lambda: L.IfElse(var(1)),
}


@pytest.mark.parametrize("name", DECLARED)
def test_what_belongs_to_programs_is_refused_in_the_imperative_mode(name):
    with D.guard():
        refused(DECLARED[name], ": ")
        assert fluid.in_dygraph_mode()
        assert not fluid.default_main_program().global_block().ops
