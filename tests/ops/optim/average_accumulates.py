"""Rows of average_accumulates."""

import numpy as np
from tests.ops.cases import case, fixture, rand

SUMS = {"in_sum_1": rand(2, 3), "in_sum_2": rand(2, 3), "in_sum_3": rand(2, 3)}


def counts(accumulates, old, updates):
    return {
        "in_num_accumulates": np.array([accumulates]),
        "in_old_num_accumulates": np.array([old]),
        "in_num_updates": np.array([updates]),
    }


WINDOW = {"average_window": 0.5, "min_average_window": 4, "max_average_window": 10}
OP = "average_accumulates"
case(
    OP,
    param=rand(2, 3),
    **SUMS,
    **counts(2, 5, 2),
    **WINDOW,
    expect=lambda param, in_sum_1, in_sum_2, in_sum_3: (in_sum_1 + param, in_sum_2, in_sum_3, [3], [5], [3]),
)
case(
    OP,
    param=rand(2, 3),
    **SUMS,
    **counts(5, 3, 10),
    **WINDOW,
    expect=lambda param, in_sum_1, in_sum_2: (
        np.zeros((2, 3)),
        np.zeros((2, 3)),
        in_sum_1 + param + in_sum_2,
        [0],
        [6],
        [11],
    ),
)
case(
    OP,
    param=rand(2, 3),
    **SUMS,
    **counts(2, 5, 16383),
    **WINDOW,
    expect=lambda param, in_sum_1, in_sum_2, in_sum_3: (
        np.zeros((2, 3)),
        in_sum_1 + param + in_sum_2,
        in_sum_3,
        [3],
        [5],
        [16384],
    ),
)
fixture(OP)
