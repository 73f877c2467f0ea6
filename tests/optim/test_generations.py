"""Optimizers in the order of arguments that 1.5 had: without a parameter list and without a clip."""

import inspect

import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

O = fluid.optimizer
DECAY = fluid.regularizer.L2Decay(0.1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: O.SGD(0.1, DECAY, "of_1_5"),
        lambda: O.SGD(0.1, DECAY, name="of_1_5"),
        lambda: O.Momentum(0.1, 0.9, True, DECAY, "of_1_5"),
        lambda: O.Adam(0.1, 0.9, 0.99, 1e-8, DECAY, "of_1_5", True),
        lambda: O.Lamb(0.1, 0.01, 0.9, 0.99, 1e-6, DECAY, lambda param: False, "of_1_5"),
        lambda: O.Adagrad(0.1, 1e-6, DECAY, "of_1_5", 0.5),
    ],
)
def test_regularization_and_name_stand_where_1_5_had_them(make):
    optimizer = make()
    assert optimizer.regularization is DECAY and optimizer._name == "of_1_5" and optimizer._parameter_list is None


def test_a_flag_behind_the_name_tells_as_well():
    assert O.Adam(0.1, 0.9, 0.99, 1e-8, None, None, True)._lazy_mode is True
    assert O.Adam(0.1, 0.9, 0.99, 1e-8, None, DECAY, None, None, True).regularization is DECAY


def test_the_signature_is_that_of_1_8():
    names = list(inspect.signature(O.Momentum).parameters)
    assert names == "learning_rate momentum parameter_list use_nesterov regularization grad_clip name".split()


def test_a_regularization_that_is_none_is_refused_as_such():
    with pytest.raises(EnforceNotMet, match="regularization"):
        O.SGD(0.1, None, len, None, None)


def test_gradient_clips_of_parameters():
    clip = fluid.clip.GradientClipByValue(1.0)
    of_1_7 = fluid.ParamAttr("w", None, 1.0, None, True, clip, False)
    assert of_1_7.gradient_clip is clip and of_1_7.do_model_average is False
    of_1_8 = fluid.ParamAttr("w", None, 1.0, None, True, False)
    assert of_1_8.gradient_clip is None and of_1_8.do_model_average is False
    normed = fluid.WeightNormParamAttr(0, "w", None, 1.0, None, True, clip)
    assert normed.gradient_clip is clip and normed.do_model_average is False and normed.dim == 0
