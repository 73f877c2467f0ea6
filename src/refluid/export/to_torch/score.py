"""Losses and accuracy, for models that were saved with them."""

from __future__ import annotations

from refluid.export.mapping import Value
from refluid.export.to_torch import helpers
from refluid.export.to_torch.writer import Writer, call, literal, maps, templates
from refluid.ops.activation.softmax import LOWEST_EXPONENT

templates(
    {
        "log_loss": "-{Labels} * torch.log({Predicted} + {epsilon}) "
        "- (1 - {Labels}) * torch.log(1 - {Predicted} + {epsilon})",
        "isfinite": "torch.isfinite({X}).all().reshape(1)",
        "isinf": "torch.isinf({X}).any().reshape(1)",
        "isnan": "torch.isnan({X}).any().reshape(1)",
    }
)


@maps("cross_entropy")
def cross_entropy(w: Writer, X: Value, Label: Value, *, soft_label: bool, ignore_index: int) -> str:
    if soft_label:
        return f"-({Label} * torch.log({X}).clamp(min=-1e20)).sum(-1, keepdim=True)"
    return cross_entropy2(w, X, Label, ignore_index=ignore_index)


@maps("cross_entropy2")
def cross_entropy2(w: Writer, X: Value, Label: Value, *, ignore_index: int) -> str:
    logs = f"torch.log({X}).clamp(min=-1e20)"  # log(0) as Fluid takes it
    label = Label.name if Label.rank == X.rank else f"{Label}.unsqueeze(-1)"
    loss = call(w.use(helpers.loss_of_class), logs, label, -1, ignore_index)
    return loss if Label.rank == X.rank else f"{loss}.squeeze(-1)"


@maps("softmax_with_cross_entropy")
def softmax_with_cross_entropy(
    w: Writer, Logits: Value, Label: Value, *, soft_label: bool, ignore_index: int, axis: int
) -> tuple[str, str]:  # fmt: skip
    every = w.temporary("logs", f"torch.log_softmax({Logits}, {axis})")
    logs = w.temporary("logs", f"torch.maximum({every}, {every}.amax({axis}, keepdim=True) - {-LOWEST_EXPONENT})")
    if soft_label:
        return f"{logs}.exp()", f"-({Label} * {logs}).sum({axis}, keepdim=True)"
    label = Label.name if Label.rank == Logits.rank else f"{Label}.unsqueeze(-1)"
    return f"{logs}.exp()", call(w.use(helpers.loss_of_class), logs, label, axis, ignore_index)


@maps("sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    w: Writer, X: Value, Label: Value, *, normalize: bool, ignore_index: int
) -> str:  # fmt: skip
    ignored = w.temporary("ignored", f"{Label} == {ignore_index}")
    loss = f'F.binary_cross_entropy_with_logits({X}, {Label}, reduction="none").masked_fill({ignored}, 0.0)'
    return f"{loss} / (~{ignored}).sum().clamp(min={literal(1e-5)})" if normalize else loss


@maps("accuracy")
def accuracy(w: Writer, Indices: Value, Label: Value) -> tuple:
    return w.several(call(w.use(helpers.accuracy), Indices, Label), "Accuracy", "Correct", "Total")
