"""The order of arguments of 1.4 and 1.5, where it is not that of 1.8."""

import numpy as np
import pytest
import torch

from refluid.eager.base import guard
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.optim.adam import Adam
from refluid.optim.eager_clip import GradClipByGlobalNorm, GradClipByNorm, GradClipByValue
from refluid.optim.lamb import Lamb
from refluid.optim.momentum import Momentum
from refluid.optim.regularizer import L2Decay
from refluid.optim.sgd import SGD


def test_regularization_and_name_stand_where_parameters_stand_later():
    penalty = L2Decay(0.1)
    for optimizer in (SGD(0.1, penalty, "mine"), Adam(0.1, 0.9, 0.999, 1e-8, penalty, "mine")):
        assert (optimizer.regularization, optimizer._name, optimizer._parameter_list) == (penalty, "mine", None)
    assert SGD(0.1, None, "mine")._name == "mine"


def test_momentum_takes_nesterov_third():
    penalty = L2Decay(0.1)
    optimizer = Momentum(0.1, 0.9, True, penalty, "mine")
    assert (optimizer._use_nesterov, optimizer.regularization, optimizer._name) == (True, penalty, "mine")
    assert Momentum(0.1, 0.9, False)._use_nesterov is False
    assert Momentum(0.1, 0.9, None, True)._use_nesterov is True


def test_lamb_takes_what_to_exclude_before_its_name():
    optimizer = Lamb(0.1, 0.01, 0.9, 0.999, 1e-6, L2Decay(0.1), lambda param: True, "mine")
    assert optimizer._name == "mine" and optimizer._exclude(None) and optimizer.regularization is not None


@pytest.mark.parametrize(
    ("clip", "expect"),
    [
        (GradClipByValue(-0.5, 2.0), [2.0, -0.5]),
        (GradClipByValue(None, 2.0), [2.0, -2.0]),
        (GradClipByNorm(2.5), [1.5, -2.0]),
        (GradClipByGlobalNorm(2.5), [1.5, -2.0]),
    ],
)
def test_minimize_takes_the_clips_of_1_5(clip, expect):
    with guard():
        param = ParamBase(torch.zeros(2), "p")
        param._as_leaf().grad = torch.tensor([3.0, -4.0])
        SGD(1.0).minimize(VarBase(torch.zeros(1)), parameter_list=[param], grad_clip=clip)
        np.testing.assert_allclose(-param.numpy(), expect, rtol=1e-6)
