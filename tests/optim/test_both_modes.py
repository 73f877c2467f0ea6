"""One optimizer class gives the same parameters and state in both modes."""

import numpy as np
import pytest
from tests.optim.nets import SHAPES, train_imperative, train_static

from refluid.optim.adadelta import Adadelta
from refluid.optim.adagrad import Adagrad, DecayedAdagrad
from refluid.optim.adam import Adam
from refluid.optim.adamax import Adamax
from refluid.optim.clip import GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue
from refluid.optim.dpsgd import Dpsgd
from refluid.optim.ftrl import Ftrl
from refluid.optim.lamb import Lamb
from refluid.optim.momentum import LarsMomentum, Momentum
from refluid.optim.regularizer import L1Decay, L2Decay
from refluid.optim.rmsprop import RMSProp
from refluid.optim.sgd import SGD
from refluid.params.attr import ParamAttr

ALL = {
    "sgd": lambda p: SGD(0.5, parameter_list=p),
    "momentum": lambda p: Momentum(0.1, 0.9, parameter_list=p),
    "nesterov": lambda p: Momentum(0.1, 0.9, parameter_list=p, use_nesterov=True),
    "lars": lambda p: LarsMomentum(0.1, 0.9, lars_coeff=0.1, parameter_list=p),
    "adagrad": lambda p: Adagrad(0.1, initial_accumulator_value=0.1, parameter_list=p),
    "decayed_adagrad": lambda p: DecayedAdagrad(0.1, epsilon=1e-3, parameter_list=p),
    "adam": lambda p: Adam(0.1, parameter_list=p),
    "adamax": lambda p: Adamax(0.1, parameter_list=p),
    "adadelta": lambda p: Adadelta(0.1, epsilon=1e-2, parameter_list=p),
    "rmsprop": lambda p: RMSProp(0.1, momentum=0.5, centered=True, epsilon=1e-3, parameter_list=p),
    "ftrl": lambda p: Ftrl(0.1, l1=0.01, parameter_list=p),
    "lamb": lambda p: Lamb(0.1, parameter_list=p),
    "dpsgd": lambda p: Dpsgd(0.1, clip=0.5, sigma=0.0, parameter_list=p),
}
SPARSE = ["sgd", "momentum", "nesterov", "adagrad", "adam", "rmsprop", "lamb"]
EXTRAS = {
    "clip_by_value": {"grad_clip": lambda: GradientClipByValue(0.02, -0.01)},
    "clip_by_norm": {"grad_clip": lambda: GradientClipByNorm(0.05)},
    "clip_by_global_norm": {"grad_clip": lambda: GradientClipByGlobalNorm(0.1)},
    "clip_some": {"grad_clip": lambda: GradientClipByGlobalNorm(0.01, need_clip=lambda p: p.name != "b_0")},
    "l1": {"regularization": lambda: L1Decay(0.1)},
    "l2": {"regularization": lambda: L2Decay(0.1)},
    "both": {"regularization": lambda: L2Decay(0.1), "grad_clip": lambda: GradientClipByGlobalNorm(0.1)},
}
ATTRS = {
    "learning_rates": {"w_0": lambda: ParamAttr(learning_rate=0.1), "b_0": lambda: ParamAttr(learning_rate=2)},
    "own_regularizer": {
        "w_0": lambda: ParamAttr(regularizer=L2Decay(0.5)),
        "table": lambda: ParamAttr(trainable=False),
    },
    "own_clip": {
        "w_0": lambda: ParamAttr(gradient_clip=GradientClipByNorm(0.01)),
        "w_1": lambda: ParamAttr(gradient_clip=GradientClipByGlobalNorm(0.02, "group")),
        "table": lambda: ParamAttr(gradient_clip=GradientClipByGlobalNorm(0.02, "group")),
    },
}


def assert_modes_agree(make, attrs=None, sparse=False):
    attrs = {name: build() for name, build in (attrs or {}).items()}
    losses, values = train_static(make, attrs, sparse)
    found, params, optimizer = train_imperative(make, attrs, sparse)
    np.testing.assert_allclose(found, losses, rtol=1e-6)
    state = {**{name: params[name] for name in SHAPES}, **optimizer.state_dict()}
    assert set(state) <= set(values)
    assert sorted(optimizer.get_opti_var_name_list()) == sorted(set(state) - set(SHAPES))
    for name, var in state.items():
        np.testing.assert_allclose(var.numpy(), values[name], rtol=2e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", list(ALL))
def test_optimizer(name):
    assert_modes_agree(ALL[name])


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_gradients(name):
    assert_modes_agree(ALL[name], sparse=True)


def test_lazy_adam_leaves_rows_without_gradient_alone():
    assert_modes_agree(lambda p: Adam(0.1, parameter_list=p, lazy_mode=True), sparse=True)
    _, _, optimizer = train_imperative(lambda p: Adam(0.1, parameter_list=p, lazy_mode=True), sparse=True)
    assert not optimizer.state_dict()["table_moment1_0"].numpy()[[0, 4, 6]].any()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", list(EXTRAS))
def test_clips_and_regularizers(name, sparse):
    assert_modes_agree(lambda p: SGD(0.5, p, **{key: build() for key, build in EXTRAS[name].items()}), sparse=sparse)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", list(ATTRS))
def test_settings_of_parameters(name, sparse):
    assert_modes_agree(
        lambda p: Momentum(0.1, 0.9, parameter_list=p, regularization=L1Decay(0.01)), ATTRS[name], sparse
    )
