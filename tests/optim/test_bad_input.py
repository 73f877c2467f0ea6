"""What a wrong use of an optimizer, a schedule or a clip is told; and that nothing is changed by it."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D, O, L = fluid.dygraph, fluid.optimizer, fluid.layers


def var(*shape):
    return D.to_variable(np.ones(shape, "float32"))


@pytest.fixture
def model():
    with D.guard():
        made = D.Sequential(D.Linear(4, 3), D.Linear(3, 1))
        made.loss = L.mean(made(var(2, 4)))
        made.loss.backward()
        yield made


def refused(function, says):
    with pytest.raises(EnforceNotMet) as caught:
        function()
    assert says in str(caught.value), str(caught.value)


LISTS = [
    (lambda m: "fc.w", "must be a list of parameters, got str"),
    (lambda m: m, "must be a list of parameters, got Sequential; use its parameters()"),
    (lambda m: m.state_dict(), "must be a list of parameters, got OrderedDict"),
    (lambda m: m.parameters()[0], "must be a list of parameters, got ParamBase"),
    (lambda m: [3], "must hold parameters, got int"),
    (lambda m: [None], "must hold parameters, got NoneType"),
    (lambda m: [m], "must hold parameters, got Sequential; use its parameters()"),
    (lambda m: [m.parameters()], "must hold parameters, got list"),
    (lambda m: list(m.named_parameters()), "must hold parameters, got tuple"),
    (lambda m: [np.ones(2)], "must hold parameters, got ndarray"),
]


@pytest.mark.parametrize("make, says", LISTS, ids=[says for _, says in LISTS])
def test_a_wrong_parameter_list_is_named(model, make, says):
    refused(lambda: O.SGD(0.1, parameter_list=make(model)), says)
    refused(lambda: O.SGD(0.1).minimize(model.loss, parameter_list=make(model)), says)


def test_names_are_no_parameters_in_the_imperative_mode(model):
    refused(lambda: O.SGD(0.1, parameter_list=["w"]).minimize(model.loss), "parameter_list holds w, a str")


SETTINGS = [
    (lambda p: O.Momentum(0.1, "a", parameter_list=p), "momentum: mu must be a number, got 'a'"),
    (lambda p: O.Adam(0.1, epsilon="a", parameter_list=p), "adam: epsilon must be a number, got 'a'"),
    (lambda p: O.Adam(0.1, beta1="a", parameter_list=p), "Adam: a beta must be a number, got 'a'"),
    (lambda p: O.Adam(0.1, beta2=None, parameter_list=p), "Adam: a beta must be a number, got None"),
    (lambda p: O.Lamb(0.1, lamb_weight_decay="a", parameter_list=p), "lamb: weight_decay must be a number, got 'a'"),
    (lambda p: O.SGD([0.1], parameter_list=p), "learning_rate must be a number"),
    (lambda p: O.SGD(var(3), parameter_list=p), "sgd: LearningRate must have one element, got [3]"),
    (lambda p: O.SGD(0.1, parameter_list=p, grad_clip=1.0), "grad_clip must be a GradientClip"),
    (lambda p: O.SGD(0.1, parameter_list=p, regularization=0.1), "regularization must be an L1Decay or L2Decay"),
]


@pytest.mark.parametrize("make, says", SETTINGS, ids=[says for _, says in SETTINGS])
def test_a_wrong_setting_is_named_and_no_parameter_changes(model, make, says):
    before = [p.numpy() for p in model.parameters()]
    refused(lambda: make(model.parameters()).minimize(model.loss), says)
    assert all(np.array_equal(a, p.numpy()) for a, p in zip(before, model.parameters(), strict=True))


def test_betas_may_be_numbers_of_numpy(model):
    O.Adam(0.1, beta1=np.float32(0.9), beta2=np.float64(0.99), parameter_list=model.parameters()).minimize(model.loss)


PAIRS = [
    (lambda m: [1, 2], "expected pairs (parameter, gradient), got int"),
    (lambda m: [(m.parameters()[0], np.ones((4, 3)))], "a pair must hold variables, got ndarray"),
    (lambda m: [(m.parameters()[0], var(4, 3)), (m.parameters()[1], var(2))], "sgd: Grad has shape [2], but Param has"),
]


@pytest.mark.parametrize("pairs, says", PAIRS, ids=[says for _, says in PAIRS])
def test_wrong_gradients_are_refused_and_no_parameter_changes(model, pairs, says):
    before = [p.numpy() for p in model.parameters()]
    refused(lambda: O.SGD(0.1, parameter_list=model.parameters()).apply_gradients(pairs(model)), says)
    assert all(np.array_equal(a, p.numpy()) for a, p in zip(before, model.parameters(), strict=True))


SCHEDULES = [
    (lambda: D.NoamDecay(0, 10), "NoamDecay: d_model must be a positive number, got 0"),
    (lambda: D.NoamDecay("a", 10), "NoamDecay: d_model must be a positive number, got 'a'"),
    (lambda: D.ExponentialDecay(0.1, 0, 0.5), "ExponentialDecay: decay_steps must be a positive number, got 0"),
    (lambda: D.ExponentialDecay(None, 5, 0.5), "ExponentialDecay: learning_rate must be a number or a variable"),
    (lambda: D.InverseTimeDecay(0.1, 5, "a"), "InverseTimeDecay: decay_rate must be a number, got 'a'"),
    (lambda: D.PolynomialDecay(0.1, 0), "PolynomialDecay: decay_steps must be a positive number, got 0"),
    (lambda: D.CosineDecay(0.1, 0, 1), "CosineDecay: step_each_epoch must be a positive number, got 0"),
    (lambda: D.PiecewiseDecay(3, [0.1], 0), "PiecewiseDecay: boundaries must be a list, got int"),
    (lambda: D.LinearLrWarmup("a", 1, 0, 1), "LinearLrWarmup: learning_rate must be a number or a LearningRateDecay"),
    (lambda: D.ReduceLROnPlateau(0.1).step("a"), "ReduceLROnPlateau: the loss must be a number, got 'a'"),
    (lambda: D.StepDecay(0.1, 5).set_dict([]), "StepDecay.set_dict: expected the dict that state_dict() gives"),
    (lambda: fluid.clip.GradientClipByNorm("a"), "GradientClipByNorm: clip_norm must be a number, got 'a'"),
    (lambda: fluid.clip.GradientClipByGlobalNorm(None), "GradientClipByGlobalNorm: clip_norm must be a number"),
    (lambda: fluid.clip.GradientClipByValue("a"), "GradientClipByValue: max must be a number, got 'a'"),
]


@pytest.mark.parametrize("make, says", SCHEDULES, ids=[says for _, says in SCHEDULES])
def test_a_wrong_schedule_or_clip_is_refused_when_it_is_made(make, says):
    refused(make, says)


def test_a_state_that_does_not_fit_leaves_the_schedule_where_it_was(model):
    adam = O.Adam(D.NoamDecay(8, 10), parameter_list=model.parameters())
    adam.minimize(model.loss)
    state = {**adam.state_dict(), "global_step": np.array([7]), "LR_Scheduler": {"step_num": 7}}
    wrong = next(name for name in state if "moment1" in name)
    before = adam.current_step_lr(), adam._learning_rate.step_num
    refused(
        lambda: adam.set_dict({**state, wrong: np.zeros(1)}), "1 of 16 accumulators do not match; nothing was loaded"
    )
    refused(lambda: adam.set_dict(None), "set_dict: expected a dict of names and values, got NoneType")
    assert (adam.current_step_lr(), adam._learning_rate.step_num) == before
    adam.set_dict(state)
    assert adam._learning_rate.step_num == 7


def test_a_schedule_of_the_imperative_mode_leaves_a_program_as_it_was():
    with D.guard():
        imperative_rate, parameter = var(1), D.Linear(4, 2).weight
        schedule = D.NoamDecay(8, 10)
    loss = L.mean(L.fc(fluid.data("x", [None, 4]), 2))
    before = str(fluid.default_main_program())
    refused(lambda: O.SGD(schedule).minimize(loss), "learning_rate is a NoamDecay, which is for the imperative mode")
    refused(lambda: O.SGD(imperative_rate).minimize(loss), "learning_rate is a VarBase")
    refused(
        lambda: O.SGD(0.1, parameter_list=[parameter]).minimize(loss),
        "minimize: the loss is a variable of the static mode, but parameter_list holds linear_0.w_0, a ParamBase",
    )
    assert str(fluid.default_main_program()) == before
    static = fluid.default_main_program().all_parameters()
    with D.guard():
        own = D.Linear(4, 2)
        imperative_loss = L.mean(own(var(1, 4)))
        imperative_loss.backward()
        refused(
            lambda: O.SGD(0.1, parameter_list=static).minimize(imperative_loss),
            "the loss is a variable of the imperative mode, but parameter_list holds fc_0.w_0, a Parameter",
        )
