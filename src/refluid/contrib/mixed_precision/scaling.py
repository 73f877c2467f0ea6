"""Dynamic loss scaling: it keeps small gradients above float16's smallest number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.layers.compare import isfinite, less_than
from refluid.layers.control_flow.switch import Switch
from refluid.layers.creation import fill_constant
from refluid.layers.math import increment
from refluid.layers.tensor import assign

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


def update_loss_scaling(
    is_overall_finite: BaseVariable,
    prev_loss_scaling: BaseVariable,
    num_good_steps: BaseVariable,
    num_bad_steps: BaseVariable,
    incr_every_n_steps: BaseVariable,
    decr_every_n_nan_or_inf: BaseVariable,
    incr_ratio: float,
    decr_ratio: float,
) -> None:
    """Append: larger after so many finite steps in a row, smaller after so many that were not.

    The factor never becomes infinite, and never falls below 1.
    """
    zero = fill_constant([1], "int32", 0)

    def start_again() -> None:
        assign(zero, num_good_steps)
        assign(zero, num_bad_steps)

    with Switch() as switch:
        with switch.case(is_overall_finite):
            enough = less_than(incr_every_n_steps, num_good_steps + 1)
            with Switch() as good:
                with good.case(enough):
                    larger = prev_loss_scaling * incr_ratio
                    with Switch() as finite:
                        with finite.case(isfinite(larger)):
                            assign(larger, prev_loss_scaling)
                        with finite.default():
                            pass
                    start_again()
                with good.default():
                    increment(num_good_steps)
                    assign(zero, num_bad_steps)
        with switch.default():
            enough = less_than(decr_every_n_nan_or_inf, num_bad_steps + 1)
            with Switch() as bad:
                with bad.case(enough):
                    smaller = prev_loss_scaling * decr_ratio
                    smallest = fill_constant([1], "float32", 1.0)
                    with Switch() as small:
                        with small.case(less_than(smaller, smallest)):
                            assign(smallest, prev_loss_scaling)
                        with small.default():
                            assign(smaller, prev_loss_scaling)
                    start_again()
                with bad.default():
                    assign(zero, num_good_steps)
                    increment(num_bad_steps)
