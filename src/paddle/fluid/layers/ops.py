"""paddle.fluid.layers.ops: functions of one operator."""

from refluid.layers.activation import (
    gelu as gelu,
    hard_shrink as hard_shrink,
    logsigmoid as logsigmoid,
    sigmoid as sigmoid,
    softplus as softplus,
    softshrink as softshrink,
    softsign as softsign,
    tanh as tanh,
    tanh_shrink as tanh_shrink,
    thresholded_relu as thresholded_relu,
)
from refluid.layers.elementwise import elementwise_div as _elementwise_div
from refluid.layers.math import cumsum as cumsum
from refluid.layers.unary import (
    abs as abs,
    acos as acos,
    asin as asin,
    atan as atan,
    ceil as ceil,
    cos as cos,
    erf as erf,
    exp as exp,
    floor as floor,
    reciprocal as reciprocal,
    round as round,
    rsqrt as rsqrt,
    sin as sin,
    sqrt as sqrt,
    square as square,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
