"""paddle.tensor.logic: comparison and logic."""

from refluid.alpha.tensor.logic import equal as equal
from refluid.layers.compare import (
    allclose as allclose,
    elementwise_equal as elementwise_equal,
    greater_equal as greater_equal,
    greater_than as greater_than,
    has_inf as has_inf,
    has_nan as has_nan,
    is_empty as is_empty,
    isfinite as isfinite,
    less_equal as less_equal,
    less_than as less_than,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    not_equal as not_equal,
)
from refluid.layers.reduce import reduce_all as reduce_all, reduce_any as reduce_any
