"""What the layers and functionals of 2.0-alpha refuse, and in which words; the same in both modes."""

import numpy as np
import pytest
from tests.layers.modes import declare

import paddle
from paddle import nn
from paddle.nn import functional as F
from refluid.core.errors import EnforceNotMet
from refluid.eager import base as imperative
from refluid.executor.executor import Executor

IMAGE = np.ones((2, 3, 6, 6), "float32")


def ones(*shape):
    return paddle.ones(list(shape), "float32")


REFUSED = {
    "conv2d: bias must have shape [4], got": lambda x: F.conv2d(x, ones(4, 3, 3, 3), bias=ones(4, 1)),
    "elementwise_add: Y must be a Variable, got": lambda x: F.conv2d(x, ones(4, 3, 3, 3), bias=np.ones(4)),
    "conv2d_transpose: bias must have shape [2]": lambda x: F.conv2d_transpose(x, ones(3, 2, 3, 3), bias=ones(3)),
    "conv2d: strides and dilations must be positive": lambda x: F.conv2d(x, ones(4, 3, 3, 3), stride=0),
    "Conv2D: param_attr must not be False": lambda x: nn.Conv2D(3, 4, 3, param_attr=False),
    "Conv3DTranspose: param_attr must not be False": lambda x: nn.Conv3DTranspose(3, 4, 3, param_attr=False),
    "HSigmoid: param_attr must not be False": lambda x: nn.HSigmoid(3, 4, param_attr=False),
    "RowConv: param_attr must not be False": lambda x: nn.RowConv(3, 4, param_attr=False),
    "hsigmoid: num_classes must be an int, got 'a'": lambda x: F.hsigmoid(x, x, x, None, "a"),
    "log_softmax: input must be a Variable, got ndarray": lambda x: F.log_softmax(IMAGE, dtype="float64"),
    "one_hot: depth must be an int, got 'a'": lambda x: F.one_hot(x, "a"),
    "leaky_relu: alpha must be a number, got 'a'": lambda x: F.leaky_relu(x, "a"),
}


@pytest.mark.parametrize("says", REFUSED)
def test_a_wrong_argument_is_refused_in_both_modes(says):
    with pytest.raises(EnforceNotMet) as static:
        made = REFUSED[says](*declare(x=IMAGE))
        Executor().run(feed={"x": IMAGE}, fetch_list=[made])  # some operators look at their attributes only now
    with imperative.guard(), pytest.raises(EnforceNotMet) as eager:
        REFUSED[says](imperative.to_variable(IMAGE))
    assert str(static.value).startswith(says) and str(eager.value).startswith(says)
