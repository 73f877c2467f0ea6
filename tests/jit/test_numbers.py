"""Numbers that only a run tells follow Python's rules, beside numbers and beside tensors."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import declarative, to_variable

N = [-7, -2, 2, 3, 5]


def among_themselves(x, n):
    k = int(n)
    return x * 0 + k / 2, x * 0 + k // 2, x * 0 + k % 3, x * 0 + 7 // k, x * 0 - 7 % k, x * 0 + k * 0.25 - (1 - k)


def beside_tensors(x, n):
    k = int(n)
    return k * x, x - k, k / x, 0.5 * k * x, x * (k / 4), k - x, x / k


def of_a_tensor(x, n):
    half = float(x) / 2
    return half * x + int(x), half - x, x * 0 + (half + half), n * 0 + int(half) + n


def from_branches_and_loops(x, n):
    factor, count = 1, 0
    if n > 2:
        factor = 2.5
    while count < n:
        count += 1
        factor = factor / 2
    total = 0
    for i in range(n, n + 3):
        total = total + i * 0.5
    return factor * x, (factor + count) * x, total - x, max(count, 2) * x, min(factor, 0.25) * x + abs(n - 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [among_themselves, beside_tensors, of_a_tensor, from_branches_and_loops])
def test_results_and_dtypes_are_those_of_the_plain_function(function, dtype):
    translated = declarative(function)
    with fluid.dygraph.guard():
        for n in N:
            found = []
            for run in (function, translated):
                if function is from_branches_and_loops:
                    given = to_variable(np.array([abs(n)], "int64"))
                    if run is function:
                        given = abs(n)
                else:
                    given = to_variable(np.array([n], "int64"))
                x = to_variable(np.array([1.7], dtype))
                found.append([one.numpy() for one in run(x, given)])
            for plain, ours in zip(*found, strict=True):
                assert plain.dtype == ours.dtype
                np.testing.assert_allclose(ours, plain, rtol=1e-6)


def test_a_number_that_is_not_whole_is_refused_beside_integers_as_it_is_plain():
    def scaled(n):
        return n * (int(n) / 2)

    with fluid.dygraph.guard():
        n = to_variable(np.array([3], "int64"))
        for run in (scaled, declarative(scaled)):
            with pytest.raises(fluid.core.EnforceNotMet, match="int64 takes whole numbers; use astype first"):
                run(n)


def test_a_size_that_only_a_run_tells_is_a_number():
    @declarative
    def mean_of_rows(x):
        return layers.reduce_sum(x, dim=0) * (1.0 / x.shape[0]) + x.shape[0] * 0.5 + len(x) // 2

    with fluid.dygraph.guard():
        for rows in (2, 3, 5):
            x = np.arange(rows * 2, dtype="float32").reshape(rows, 2)
            out = mean_of_rows(to_variable(x)).numpy()
            np.testing.assert_allclose(out, x.mean(0) + rows * 0.5 + rows // 2, rtol=1e-6)
        assert len(mean_of_rows._programs.open) == 1  # one program for all sizes after the first
