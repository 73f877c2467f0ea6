"""paddle.nn.functional.activation: activations."""

from refluid.alpha.nn.functional import (
    hsigmoid as hsigmoid,
    log_softmax as log_softmax,
    relu as relu,
    sigmoid as sigmoid,
)
from refluid.layers.activation import (
    brelu as brelu,
    elu as elu,
    gelu as gelu,
    hard_shrink as hard_shrink,
    hard_sigmoid as hard_sigmoid,
    hard_swish as hard_swish,
    leaky_relu as leaky_relu,
    logsigmoid as logsigmoid,
    relu6 as relu6,
    selu as selu,
    soft_relu as soft_relu,
    softmax as softmax,
    softplus as softplus,
    softshrink as softshrink,
    softsign as softsign,
    swish as swish,
    tanh_shrink as tanh_shrink,
    thresholded_relu as thresholded_relu,
)
from refluid.layers.image import maxout as maxout
from refluid.layers.unary import erf as erf
