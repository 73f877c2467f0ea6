"""Dropout."""

from __future__ import annotations

from numbers import Real

from refluid.core.errors import ArgumentError
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import default_main_program
from refluid.nn.layer import Layer, in_programs
from refluid.ops.nn.dropout import dropout


class Dropout(Layer):
    """Set elements to zero with the probability p while training.

    With "upscale_in_train" the other elements are divided by 1 - p while training; with "downgrade_in_infer" all
    elements are multiplied by 1 - p while evaluating.

    Args:
        p: the dropout probability.
        seed: seed of the mask; None for a new one in every call.
        dropout_implementation: "downgrade_in_infer" or "upscale_in_train".
        is_test: evaluate always; in programs alone, in the imperative mode `train()` and `eval()` decide.
    """

    def __init__(self, p: float = 0.5, seed: int | None = None, dropout_implementation: str = "downgrade_in_infer",
                 is_test: bool = False):  # fmt: skip
        super().__init__()
        if not isinstance(p, float | Real) or not 0 <= p <= 1:
            raise ArgumentError(f"Dropout: p must be a number in [0, 1], got {p!r}")
        if dropout_implementation not in ("downgrade_in_infer", "upscale_in_train"):
            raise ArgumentError(
                "Dropout: dropout_implementation must be 'downgrade_in_infer' or 'upscale_in_train', "
                f"got {dropout_implementation!r}"
            )
        self._dropout_prob, self._seed, self._is_test = p, seed, is_test
        self._dropout_implementation = dropout_implementation

    def forward(self, input: BaseVariable) -> BaseVariable:
        seed = self._seed or default_main_program().random_seed or self._seed
        told = self._is_test and in_programs(True)
        out, _ = dropout(
            input, name=self.layer_name, dropout_prob=self._dropout_prob, is_test=told or not self.training,
            fix_seed=seed is not None, seed=seed or 0, dropout_implementation=self._dropout_implementation,
        )  # fmt: skip
        return out
