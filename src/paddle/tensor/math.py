"""paddle.tensor.math: arithmetic."""

from refluid.alpha.tensor.arithmetic import (
    add as add,
    div as div,
    elementwise_add as elementwise_add,
    elementwise_div as elementwise_div,
    elementwise_mul as elementwise_mul,
    elementwise_sub as elementwise_sub,
    elementwise_sum as elementwise_sum,
)
from refluid.alpha.tensor.linalg import inverse as inverse, mm as mm, mul as mul
from refluid.alpha.tensor.math import (
    abs as abs,
    acos as acos,
    asin as asin,
    atan as atan,
    ceil as ceil,
    cos as cos,
    exp as exp,
    floor as floor,
    max as max,
    min as min,
    pow as pow,
    reciprocal as reciprocal,
    round as round,
    rsqrt as rsqrt,
    sin as sin,
    sqrt as sqrt,
    square as square,
    sum as sum,
    tanh as tanh,
)
from refluid.layers.activation import stanh as stanh
from refluid.layers.elementwise import (
    elementwise_floordiv as elementwise_floordiv,
    elementwise_max as elementwise_max,
    elementwise_min as elementwise_min,
    elementwise_mod as elementwise_mod,
    elementwise_pow as elementwise_pow,
)
from refluid.layers.indexing import multiplex as multiplex
from refluid.layers.math import (
    addcmul as addcmul,
    addmm as addmm,
    clamp as clamp,
    cumsum as cumsum,
    increment as increment,
    kron as kron,
    scale as scale,
    sums as sums,
    trace as trace,
)
from refluid.layers.reduce import (
    logsumexp as logsumexp,
    reduce_max as reduce_max,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from refluid.layers.unary import erf as erf, log as log, log1p as log1p, sign as sign
