"""Dropout."""

from __future__ import annotations

from numbers import Real
from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError
from refluid.ir.program import default_main_program
from refluid.nn.layer import Layer
from refluid.ops.nn.dropout import dropout


class Dropout(Layer):
    """Forgets a random part of the units while training; the identity (or a factor) while evaluating.

    With a seed, its own or the main program's, every call forgets the same units, as in Fluid.
    `is_test` holds in programs alone; in the imperative mode, `train()` and `eval()` decide.
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

    def forward(self, input: Any) -> Any:
        seed = self._seed or default_main_program().random_seed or self._seed
        told = self._is_test and not mode.current.imperative
        out, _ = dropout(
            input, name=self.layer_name, dropout_prob=self._dropout_prob, is_test=told or not self.training,
            fix_seed=seed is not None, seed=seed or 0, dropout_implementation=self._dropout_implementation,
        )  # fmt: skip
        return out
