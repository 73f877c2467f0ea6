import numpy as np
import pytest
from tests.layers.modes import both, declare, run

from refluid.core.errors import ArgumentError
from refluid.eager import base as imperative
from refluid.ir.program import default_main_program
from refluid.layers.dropout import dropout

ONES = np.ones((40, 50), "float32")


def test_a_seed_forgets_the_same_units_in_every_step_and_mode():
    (kept,) = both(lambda x: dropout(x, 0.3, seed=7), runs=2, x=ONES)
    assert set(np.unique(kept)) == {0.0, 1.0} and abs(kept.mean() - 0.7) < 0.05
    (scaled,) = both(lambda x: dropout(x, 0.3, seed=7, dropout_implementation="upscale_in_train"), x=ONES)
    np.testing.assert_allclose(scaled, kept / 0.7, rtol=1e-6)


def test_testing_scales_in_one_implementation_and_not_in_the_other():
    down, up = both(
        lambda x: [dropout(x, 0.2, is_test=True),
                   dropout(x, 0.2, is_test=True, dropout_implementation="upscale_in_train")],
        x=ONES,
    )  # fmt: skip
    np.testing.assert_allclose(down, 0.8 * ONES, rtol=1e-6)
    np.testing.assert_array_equal(up, ONES)


def test_the_seed_of_the_program_is_the_seed_of_the_operator():
    default_main_program().random_seed = 11
    (x,) = declare(x=ONES)
    dropout(x, 0.5)
    dropout(x, 0.5, seed=3)
    assert [op.attr("seed") for op in default_main_program().global_block().ops] == [11, 3]
    assert all(op.attr("fix_seed") for op in default_main_program().global_block().ops)


def test_without_a_seed_every_step_differs():
    (x,) = declare(x=ONES)
    out = dropout(x, 0.5, name="drop")
    assert out.name == "drop.tmp_0" and not default_main_program().global_block().ops[0].attr("fix_seed")
    first, second = (np.array(run([out], runs, x=ONES)[0]) for runs in (1, 2))
    assert not np.array_equal(first, second)
    with imperative.guard():
        x = imperative.to_variable(ONES)
        assert not np.array_equal(dropout(x, 0.5).numpy(), dropout(x, 0.5).numpy())


def test_refusals():
    (x,) = declare(x=ONES)
    with pytest.raises(ArgumentError, match="dropout: dropout_prob must be a number between 0 and 1, got 1.5"):
        dropout(x, 1.5)
    with pytest.raises(ArgumentError, match="dropout: dropout_implementation must be 'downgrade_in_infer' or"):
        dropout(x, 0.5, dropout_implementation="scale")
