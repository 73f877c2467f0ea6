"""warpctc: the loss of connectionist temporal classification (Graves et al., 2006)."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.aten import aten
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod, positions

_ctc_loss = aten("_ctc_loss", "Tensor")
_ctc_loss_backward = aten("_ctc_loss_backward", "Tensor")


@op(
    "WarpCTCGrad Loss",
    lod=None,
    dtypes={"Logits": frozenset({torch.float32, torch.float64}), "Label": INDICES},
    nograd="LogitsLength LabelLength",
    intermediate="WarpCTCGrad",
    naming="Loss WarpCTCGrad",
)
def warpctc(
    Logits: Tensor,
    Logits_lod: LoD | None,
    Label: Tensor,
    Label_lod: LoD | None,
    LogitsLength: Tensor | None = None,
    LabelLength: Tensor | None = None,
    *,
    blank: int = 0,
    norm_by_times: bool = False,
) -> tuple[Tensor, Tensor]:
    """-log of the probability that softmax(Logits) gives to all paths that spell the labels, [N, 1].

    Logits and Label are LoDTensors [rows, classes] and [rows, 1]; or [length, N, classes] and [N, longest label] with
    their lengths. WarpCTCGrad [length, N, classes] is the gradient of the padded Logits. norm_by_times divides the
    gradient, not the loss, by the number of steps, as in Fluid. The loss of more labels than steps, which no path can
    spell, is 0.
    """
    classes = Logits.shape[-1]
    if not 0 <= blank < classes:
        raise ArgumentError(f"blank must be one of the {classes} classes, got {blank}")
    padded, steps, labels, counts = _batch(Logits, Logits_lod, Label, Label_lod, LogitsLength, LabelLength)
    if len(labels) and (int(labels.max()) >= classes or int(labels.min()) < 0):
        raise ArgumentError(f"Label must lie in [0, {classes}), got {int(labels.min())} to {int(labels.max())}")
    log_probs = torch.log_softmax(padded, 2)
    loss = torch.nn.functional.ctc_loss(log_probs, labels, steps, counts, blank, reduction="none", zero_infinity=True)
    return _gradient(log_probs.detach(), labels, steps, counts, blank), loss.reshape(-1, 1)


@warpctc.grad(once=True)
def warpctc_grad(
    Logits: Tensor,
    Logits_lod: LoD | None,
    LogitsLength: Tensor | None,
    WarpCTCGrad: Tensor,
    Loss_grad: Tensor,
    *,
    norm_by_times: bool,
) -> Tensor:
    factor = Loss_grad.reshape(-1)
    if LogitsLength is not None:
        steps = LogitsLength.reshape(-1)
        return WarpCTCGrad * (factor / steps if norm_by_times else factor).reshape(1, -1, 1)
    lod = need_lod(Logits_lod, Logits.shape[0], "Logits")
    if norm_by_times:
        factor = factor / lod.lengths_tensor(device=factor.device)
    sequence = lod.segment_ids(device=factor.device)
    return WarpCTCGrad[positions(lod, factor.device), sequence] * factor[sequence].unsqueeze(1)


@warpctc.infer
def warpctc_shape(inputs: list, attrs: dict) -> list | None:
    logits, _, lengths, _ = inputs
    if not 0 <= attrs["blank"] < logits.shape[-1] or len(logits.shape) != (2 if lengths is None else 3):
        return None
    if lengths is None:
        return [logits._replace(shape=(-1, -1, logits.shape[1]), lod_level=0), Spec((-1, 1), logits.dtype)]
    return [logits, Spec((logits.shape[1], 1), logits.dtype)]


def _batch(
    logits: Tensor, lod: LoD | None, label: Tensor, label_lod: LoD | None, steps: Tensor | None, counts: Tensor | None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Padded logits [length, N, classes], their lengths, all labels one after the other, and their numbers."""
    if steps is None or counts is None:
        if logits.dim() != 2:
            raise ShapeError(f"Logits must be a LoDTensor [rows, classes], got {list(logits.shape)}")
        lod, label_lod = need_lod(lod, len(logits), "Logits", 1), need_lod(label_lod, len(label), "Label", 1)
        if lod.count() != label_lod.count():
            raise ShapeError(f"Logits has {lod.count()} sequences, but Label {label_lod.count()}")
        longest = max(lod.lengths()[0], default=0)
        padded = logits.new_zeros(longest, lod.count(), logits.shape[1])
        index = (positions(lod, logits.device), lod.segment_ids(device=logits.device))
        return (
            padded.index_put(index, logits),
            lod.lengths_tensor(),
            label.reshape(-1).long(),
            label_lod.lengths_tensor(),
        )
    if logits.dim() != 3 or label.dim() != 2 or len(label) != logits.shape[1]:
        raise ShapeError(
            f"Logits must be [length, N, classes] and Label [N, longest label], got {list(logits.shape)} and "
            f"{list(label.shape)}"
        )
    steps, counts = steps.reshape(-1).long(), counts.reshape(-1).long()
    inside = torch.arange(label.shape[1], device=label.device) < counts.unsqueeze(1)
    return logits, steps, label[inside].long(), counts


def _gradient(log_probs: Tensor, labels: Tensor, steps: Tensor, counts: Tensor, blank: int) -> Tensor:
    """The gradient of each sequence's loss with respect to its logits; zeros after its end."""
    with torch.no_grad():
        loss, alpha = _ctc_loss(log_probs, labels, steps, counts, blank, True)
        ones = torch.ones_like(loss)
        grad = _ctc_loss_backward(ones, log_probs, labels, steps, counts, loss, alpha, blank, True)
        grad = torch.addcmul(grad, log_probs.exp(), grad.sum(2, keepdim=True), value=-1)
        behind = torch.arange(len(grad), device=grad.device).unsqueeze(1) >= steps.to(grad.device)
        return grad.masked_fill(behind.unsqueeze(2), 0.0)
