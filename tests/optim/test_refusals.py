"""Mistakes with optimizers are refused in words that say what to do."""

import numpy as np
import pytest
import torch
from tests.optim.nets import train_imperative

from refluid.core.errors import ArgumentError, DtypeError, ModeError
from refluid.eager.base import guard, to_variable
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir.program import Program, program_guard
from refluid.layers.data import data
from refluid.ops.math.mean import mean
from refluid.optim.adam import Adam
from refluid.optim.adamax import Adamax
from refluid.optim.clip import GradientClipByGlobalNorm, GradientClipByValue, set_gradient_clip
from refluid.optim.decay import PiecewiseDecay
from refluid.optim.lookahead import LookaheadOptimizer
from refluid.optim.moving_average import ExponentialMovingAverage
from refluid.optim.param_clip import clip_by_parameter
from refluid.optim.regularizer import L2Decay
from refluid.optim.sgd import SGD
from refluid.params.attr import ParamAttr
from refluid.params.create import make_parameter


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"learning_rate": "0.1"}, DtypeError, "learning_rate must be a number, a variable or a LearningRateDecay"),
        ({"parameter_list": "w"}, DtypeError, "parameter_list must be a list of parameters, got str"),
        ({"grad_clip": 5.0}, DtypeError, "grad_clip must be a GradientClip... of fluid.clip, got float"),
        ({"regularization": 1e-4}, DtypeError, "regularization must be an L1Decay or L2Decay, got float"),
    ],
)
def test_arguments(arguments, error, says):
    with pytest.raises(error, match=says):
        SGD(**{"learning_rate": 0.1, **arguments})


def test_a_loss_that_depends_on_nothing_to_train():
    with program_guard(Program(), Program()):
        loss = mean(data("x", [4]))
        with pytest.warns(UserWarning, match="minimize: mean_.* depends on no trainable parameter"):
            assert SGD(0.1).minimize(loss) == ([], [])
        with pytest.raises(DtypeError, match="minimize: loss must be a Variable, got float"):
            SGD(0.1).minimize(0.5)


def test_minimize_without_backward():
    with guard():
        weight = make_parameter(ParamAttr(name="weight"), [2, 2])
        loss = mean(weight)
        with pytest.warns(UserWarning, match="no parameter has a gradient.*call loss.backward\\(\\) first"):
            assert SGD(0.1, parameter_list=[weight]).minimize(loss) == ([], [])


def test_schedules_and_modes():
    decay = PiecewiseDecay([2], [0.1, 0.01], 0)
    with program_guard(Program(), Program()):
        loss = mean(make_parameter(ParamAttr(name="weight"), [2, 2]))
        with pytest.raises(ModeError, match="learning_rate is a PiecewiseDecay, which is for the imperative mode"):
            SGD(decay).minimize(loss)
        rate = data("rate", [1], append_batch_size=False)
    with guard(), pytest.raises(ModeError, match="learning_rate is rate, a variable of a static program"):
        train_imperative(lambda p: SGD(rate, parameter_list=p))
    with pytest.raises(ArgumentError, match="set_lr: the learning rate follows a LearningRateDecay"):
        SGD(decay).set_lr(0.1)
    with pytest.raises(DtypeError, match="set_lr: expected a number or a variable, got str"):
        SGD(0.1).set_lr("fast")


def test_a_sparse_gradient_where_none_is_taken():
    with pytest.raises(ArgumentError, match="adamax: Grad is a SelectedRows.*use is_sparse=False"):
        train_imperative(lambda p: Adamax(0.1, parameter_list=p), sparse=True)


def test_clips():
    with pytest.raises(ArgumentError, match="GradientClipByValue: max must be positive if min is not given, got -1"):
        GradientClipByValue(-1)
    with pytest.raises(DtypeError, match="set_gradient_clip: clip must be a GradientClip..., got L2DecayRegularizer"):
        set_gradient_clip(L2Decay(0.1))
    with guard():
        pairs = [(ParamBase(torch.ones(2), f"p{n}"), VarBase(torch.ones(2))) for n in (1, 2)]
        for norm, (param, _) in enumerate(pairs, 1):
            param.gradient_clip_attr = GradientClipByGlobalNorm(norm, "group")
        with pytest.raises(ArgumentError, match="parameters of group 'group' must have one clip_norm, got 1.0 and 2.0"):
            clip_by_parameter(pairs)


def test_clips_that_are_probably_mistakes_are_warned_of():
    with pytest.warns(UserWarning, match="min 1 is above max -1"):
        assert GradientClipByValue(-1, 1).min == 1
    with pytest.warns(UserWarning, match="clip_norm is 0.0; a norm is positive"):
        assert GradientClipByGlobalNorm(0.0).clip_norm == 0


def test_averages_and_lookahead():
    with guard(), pytest.raises(ArgumentError, match="ExponentialMovingAverage: parameter_list is needed"):
        ExponentialMovingAverage()
    with pytest.raises(ArgumentError, match="k must be a positive int, got 0"):
        LookaheadOptimizer(SGD(0.1), k=0)
    with pytest.raises(DtypeError, match="inner_optimizer must be an optimizer, got float"):
        LookaheadOptimizer(0.1)


def test_a_subclass_may_demand_its_parameters():
    class Strict(Adam):
        demands_parameters = True

    Strict(0.1)
    with guard(), pytest.raises(ArgumentError, match="Strict: parameter_list is needed in the imperative mode"):
        Strict(0.1)
    with guard():
        Strict(0.1, parameter_list=[to_variable(np.zeros(1))])
