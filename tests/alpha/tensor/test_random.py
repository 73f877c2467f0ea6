import numpy as np
import pytest
from tests.layers.modes import both, run

import paddle
from refluid.core.errors import ArgumentError
from refluid.eager import base as imperative


def drawn():
    return [
        paddle.rand([1000]),
        paddle.rand([2, 2], dtype="float64"),
        paddle.randn([1000]),
        paddle.randint(3, 7, [1000]),
        paddle.randint(5, shape=[100], dtype="int32"),
        paddle.randperm(50),
    ]


def check(uniform, wide, normal, whole, low, order):
    assert uniform.dtype == np.float32 and uniform.min() >= 0 and uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.05 and wide.dtype == np.float64
    assert abs(normal.mean()) < 0.15 and abs(normal.std() - 1) < 0.1
    assert set(whole.tolist()) == {3, 4, 5, 6} and whole.dtype == np.int64
    assert set(low.tolist()) == {0, 1, 2, 3, 4} and low.dtype == np.int32
    assert sorted(order.tolist()) == list(range(50)) != order.tolist()


def test_what_is_drawn_in_both_modes():
    check(*(np.array(value) for value in run(drawn())))
    with imperative.guard():
        check(*(value.numpy() for value in drawn()))


def test_a_seed_gives_the_same_numbers_again():
    def once():
        paddle.manual_seed(11)
        return [value.numpy() for value in drawn()]

    with imperative.guard():
        for ours, theirs in zip(once(), once(), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        other = paddle.rand([1000]).numpy()
        paddle.manual_seed(12)
        assert not np.array_equal(other, paddle.rand([1000]).numpy())


def test_a_seed_holds_for_the_default_programs():
    paddle.manual_seed(5)
    assert paddle.default_main_program().random_seed == paddle.default_startup_program().random_seed == 5
    made = [paddle.rand([4])]
    np.testing.assert_array_equal(np.array(run(made)[0]), np.array(run(made)[0]))


@pytest.mark.parametrize(
    ("dtype", "call"),
    [
        ("float32", lambda out: paddle.rand([3], out=out)),
        ("float32", lambda out: paddle.randn([3], out=out)),
        ("int64", lambda out: paddle.randint(9, out=out, shape=[3])),
        ("int32", lambda out: paddle.randperm(3, out=out, dtype="int32")),
    ],
)
def test_out_takes_the_result_in_both_modes(dtype, call):
    def through_out():
        paddle.manual_seed(3)
        out = paddle.create_tensor(dtype)
        assert call(out) is out
        return [paddle.shape(out)]

    (sizes,) = both(through_out)
    assert sizes.tolist() == [3]


def test_gradients_end_at_random_numbers_unless_asked():
    assert paddle.rand([1]).stop_gradient and not paddle.rand([1], stop_gradient=False).stop_gradient


def test_wrong_arguments_are_named():
    with pytest.raises(ArgumentError, match="manual_seed: seed must be an int, got '7'"):
        paddle.manual_seed("7")
    with pytest.raises(ArgumentError, match="rand: device must be 'cpu', 'gpu' or None, got 'x'"):
        paddle.rand([1], device="x")
