"""The imperative step holds its lists from step to step, but never those of the past."""

import numpy as np
import torch
from tests.optim.nets import go_on, parameters

from refluid.core import unique_name
from refluid.core.layout import as_channels_last
from refluid.eager.base import guard
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.optim.adam import Adam
from refluid.optim.momentum import Momentum
from refluid.optim.sgd import SGD


def one(*shape, name="p"):
    return ParamBase(torch.arange(np.prod(shape), dtype=torch.float32).reshape(shape), name)


def step(optimizer, params, grad=1.0):
    for param in params:
        param._as_leaf().grad = torch.full_like(param._t, grad)
    optimizer.minimize(VarBase(torch.zeros(1)), parameter_list=params)


def test_a_parameter_that_joins_later_is_updated_too():
    with guard(), unique_name.guard():
        a, b = one(2, name="a"), one(2, name="b")
        optimizer = Momentum(1.0, 0.5)
        step(optimizer, [a])
        step(optimizer, [a, b])
        step(optimizer, [b])
        assert a.numpy().tolist() == [-2.5, -1.5] and b.numpy().tolist() == [-2.5, -1.5]


def test_memory_laid_out_anew_between_steps():
    with guard(), unique_name.guard():
        plain, changed = one(2, 3, 2, 2, name="a"), one(2, 3, 2, 2, name="b")
        for param in (plain, changed):
            optimizer = Adam(0.1)
            grads = torch.linspace(-1, 1, 24).reshape(2, 3, 2, 2)
            for _ in range(2):
                param._as_leaf().grad = grads
                optimizer.minimize(VarBase(torch.zeros(1)), parameter_list=[param])
                if param is changed:
                    param._t = as_channels_last(param._t)
        np.testing.assert_allclose(changed.numpy(), plain.numpy(), rtol=1e-6)


def test_a_changed_learning_rate_counts_at_once():
    with guard(), unique_name.guard():
        a = one(1)
        optimizer = SGD(1.0)
        step(optimizer, [a])
        optimizer.set_lr(0.5)
        step(optimizer, [a])
        assert a.numpy() == [-1.5] and optimizer.current_step_lr() == 0.5
        a.optimize_attr["learning_rate"] = 2.0
        step(optimizer, [a])
        assert a.numpy() == [-2.5]
        rate = VarBase(torch.tensor([0.25]))
        optimizer.set_lr(rate)
        step(optimizer, [a])
        rate.set_value(np.array([1.0], "float32"))
        step(optimizer, [a])
        assert a.numpy() == [-5.0]


def test_gradients_are_not_kept_alive_nor_changed():
    with guard(), unique_name.guard():
        params = parameters()
        optimizer = Adam(0.1, parameter_list=list(params.values()))
        go_on(optimizer, params, steps=1)
        assert optimizer._step.groups[0].lists[optimizer._step.groups[0].grad] is None


def test_what_the_loss_reaches_is_trained_without_a_list():
    with guard(), unique_name.guard():
        params = parameters()
        before = {name: param.numpy() for name, param in params.items()}
        go_on(SGD(0.1), params, steps=1)
        assert all((params[name].numpy() != value).any() for name, value in before.items())
