"""dropout."""

from __future__ import annotations

from numbers import Real
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ir.program import default_main_program
from refluid.ops.nn.dropout import dropout as dropout_op


def dropout(
    x: Any,
    dropout_prob: float,
    is_test: bool = False,
    seed: int | None = None,
    name: str | None = None,
    dropout_implementation: str = "downgrade_in_infer",
) -> Any:
    """Forget a random part of the units while training (Srivastava et al., 2014).

    Args:
        dropout_prob: the probability of a unit to become 0.
        seed: the same units are forgotten in every step; the program's random_seed does so too, as in Fluid.
        dropout_implementation: "downgrade_in_infer" multiplies by 1 - dropout_prob when testing,
            "upscale_in_train" divides by it when training.
    """
    if not isinstance(dropout_prob, Real) or not 0 <= dropout_prob <= 1:
        raise ArgumentError(f"dropout: dropout_prob must be a number between 0 and 1, got {dropout_prob!r}")
    if dropout_implementation not in ("downgrade_in_infer", "upscale_in_train"):
        raise ArgumentError(
            "dropout: dropout_implementation must be 'downgrade_in_infer' or 'upscale_in_train', "
            f"got {dropout_implementation!r}"
        )
    if not seed:
        seed = default_main_program().random_seed or seed
    out, mask = dropout_op(
        x, name=name, dropout_prob=float(dropout_prob), is_test=is_test, fix_seed=seed is not None, seed=seed or 0,
        dropout_implementation=dropout_implementation,
    )  # fmt: skip
    if mask is not None:  # the imperative mode makes none for testing
        mask.stop_gradient = True
    return out
