"""ctr_metric_bundle: sums over all batches from which metrics of predicted clicks are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.core import mode
from refluid.core.errors import ModeError, ShapeError
from refluid.layers.checks import need_variable
from refluid.layers.helper import LayerHelper
from refluid.params.initializer import Constant

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


def ctr_metric_bundle(input: BaseVariable, label: BaseVariable) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Sums of errors and predictions; each run of the program adds its batch.

    Args:
        input: [N, 1], the predicted probabilities.
        label: [N, 1], 0 or 1, of the same dtype.
    Returns:
        (sum of squared errors, of absolute errors, of predictions, of sigmoid(predictions), of labels, number of
        instances). Divided by the number of instances they are RMSE squared, MAE, the predicted rate of clicks and q.
    """
    mode.current().demand_program(
        ModeError("ctr_metric_bundle: its sums live in a program; in the imperative mode add up in Python")
    )
    need_variable("ctr_metric_bundle: input", input)
    need_variable("ctr_metric_bundle: label", label)
    if tuple(input.shape) != tuple(label.shape):
        raise ShapeError(
            f"ctr_metric_bundle: input and label must have one shape, got {list(input.shape)} and {list(label.shape)}"
        )
    helper = LayerHelper("ctr_metric_bundle")
    absolute, squared, predicted, q, positive, instances = (_declare(helper, True) for _ in range(6))
    difference, squashed, ones = (_declare(helper, False, [-1]) for _ in range(3))
    batch = {name: _declare(helper, False) for name in ("prob", "abs", "sqr", "q", "pos", "ins")}
    for var in (
        absolute, batch["abs"], squared, batch["sqr"], predicted, batch["prob"], q, batch["q"], batch["pos"],
        batch["ins"], positive, instances,
    ):  # fmt: skip
        helper.set_variable_initializer(var, Constant(0.0, force_cpu=True))

    def add(op: str, source: BaseVariable, one: BaseVariable, total: BaseVariable) -> None:
        helper.append_op(op, {"X": source}, {"Out": one})
        helper.append_op("elementwise_add", {"X": one, "Y": total}, {"Out": total})

    helper.append_op("elementwise_sub", {"X": input, "Y": label}, {"Out": difference})
    add("squared_l2_norm", difference, batch["sqr"], squared)
    add("l1_norm", difference, batch["abs"], absolute)
    add("reduce_sum", input, batch["prob"], predicted)
    helper.append_op("sigmoid", {"X": input}, {"Out": squashed})
    add("reduce_sum", squashed, batch["q"], q)
    add("reduce_sum", label, batch["pos"], positive)
    attrs = {"shape": [-1, 1], "dtype": int(ones.dtype), "value": 1.0}
    helper.append_op("fill_constant_batch_size_like", {"Input": label}, {"Out": ones}, attrs)
    add("reduce_sum", ones, batch["ins"], instances)
    return squared, absolute, predicted, q, positive, instances


def _declare(helper: LayerHelper, persistable: bool, shape: Sequence[int] = (1,)) -> BaseVariable:
    return helper.create_global_variable(
        persistable=persistable, dtype="float32", shape=list(shape), stop_gradient=False
    )
