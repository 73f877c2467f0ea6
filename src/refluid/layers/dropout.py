"""dropout."""

from __future__ import annotations

from numbers import Real

from refluid.core.errors import ArgumentError
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import default_main_program
from refluid.ops.nn.dropout import dropout as dropout_op


def dropout(
    x: BaseVariable,
    dropout_prob: float,
    is_test: bool = False,
    seed: int | None = None,
    name: str | None = None,
    dropout_implementation: str = "downgrade_in_infer",
) -> BaseVariable:
    """Set random elements to 0 while training (Srivastava et al., 2014).

    Args:
        x: a float variable of any shape.
        dropout_prob: the dropout probability: that of an element to become 0.
        is_test: no element is dropped.
        seed: drops the same elements in every step; None for the program's random_seed, which does so too, as in Fluid.
        dropout_implementation: "downgrade_in_infer" multiplies by 1 - dropout_prob in inference, "upscale_in_train"
            divides by 1 - dropout_prob in training.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([2.0, 4.0], "float32"))
        ...     fluid.layers.dropout(x, dropout_prob=0.5, is_test=True).numpy().tolist()
        [1.0, 2.0]
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
