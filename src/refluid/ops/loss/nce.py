"""nce: noise-contrastive estimation, the label against a few sampled classes."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.loss.hierarchical_sigmoid import rows_grad
from refluid.ops.loss.labels import class_index
from refluid.ops.loss.sampling import alias_classes, log_uniform_classes, log_uniform_probability, uniform_classes
from refluid.ops.registry import FLOATS, INDICES, Long, Tensor, op
from refluid.tensor.selected_rows import SelectedRows

UNIFORM, LOG_UNIFORM, CUSTOM = 0, 1, 2


@op(
    "Cost SampleLogits SampleLabels",
    lod=None,
    dtypes={"Input": FLOATS, "Label": INDICES, "Weight": FLOATS},
    nograd="SampleWeight CustomDistProbs CustomDistAlias CustomDistAliasProbs",
    intermediate="SampleLogits SampleLabels",
    random="stream",
)
def nce(
    Input: Tensor,
    Label: Tensor,
    Weight: Tensor,
    Bias: Tensor | None = None,
    SampleWeight: Tensor | None = None,
    CustomDistProbs: Tensor | None = None,
    CustomDistAlias: Tensor | None = None,
    CustomDistAliasProbs: Tensor | None = None,
    *,
    rng: torch.Generator | None,
    num_total_classes: int,
    num_neg_samples: int = 10,
    sampler: int = UNIFORM,
    seed: int = 0,
    is_sparse: bool = False,
    remote_prefetch: bool = False,
    trainer_id: int = 0,
    height_sections: list[Long] = [],
    epmap: list[str] = [],
    table_names: list[str] = [],
    custom_neg_classes: list[int] = [],
) -> tuple[Tensor, Tensor, Tensor]:
    """Cost [N, 1] = -sum log(o / (o + b)) over the labels - sum log(b / (o + b)) over the drawn classes,

    where o = sigmoid(Input.Weight[c] + Bias[c]), kept as SampleLogits, and b is num_neg_samples times the probability
    of drawing class c.
    """
    if Input.shape[1:] != Weight.shape[1:] or Input.dim() != 2:
        raise ShapeError(f"Input has shape {list(Input.shape)}, but Weight has {list(Weight.shape)}")
    if Weight.shape[0] != num_total_classes:
        raise ShapeError(f"Weight must have {num_total_classes} rows, one per class, got {list(Weight.shape)}")
    if Label.dim() < 1 or Label.shape[0] != Input.shape[0]:
        raise ShapeError(f"Input has {Input.shape[0]} rows, but Label has the shape {list(Label.shape)}")
    if num_neg_samples < 0:
        raise ArgumentError(f"num_neg_samples must be 0 or more, got {num_neg_samples}")
    label = Label.flatten(1) if Label.dim() > 1 else Label.unsqueeze(1)
    label, _ = class_index(label, num_total_classes, of="nce")
    shape = (label.shape[0], num_neg_samples)
    if custom_neg_classes:
        drawn = label.new_tensor(custom_neg_classes).expand(shape)
    elif rng is None:
        drawn = label.new_empty(shape)
    elif sampler == UNIFORM:
        drawn = uniform_classes(shape, num_total_classes, rng)
    elif sampler == LOG_UNIFORM:
        drawn = log_uniform_classes(shape, num_total_classes - 1, rng)
    elif CustomDistAlias is None or CustomDistAliasProbs is None:
        raise ArgumentError("inputs CustomDistAlias and CustomDistAliasProbs are missing, which sampler=2 draws from")
    else:
        drawn = alias_classes(shape, CustomDistAlias, CustomDistAliasProbs, rng)
    classes = torch.cat([label, drawn], 1)
    scores = torch.einsum("nd,nsd->ns", Input, Weight[classes])
    if Bias is not None:
        scores = scores + Bias.reshape(-1)[classes]
    o = torch.sigmoid(scores)
    b = _noise(classes, CustomDistProbs, sampler, num_total_classes, num_neg_samples, o.dtype)
    n_true = label.shape[1]
    cost = -torch.cat([o[:, :n_true], b[:, n_true:]], 1).div(o + b).log().sum(1, keepdim=True)
    return cost if SampleWeight is None else cost * SampleWeight.reshape(-1, 1), o, classes


@nce.grad(once=True)
def nce_grad(
    Input: Tensor,
    Label: Tensor,
    Weight: Tensor,
    Bias: Tensor | None,
    SampleWeight: Tensor | None,
    CustomDistProbs: Tensor | None,
    CustomDistAlias: Tensor | None,
    CustomDistAliasProbs: Tensor | None,
    SampleLogits: Tensor,
    SampleLabels: Tensor,
    Cost_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    num_total_classes: int,
    num_neg_samples: int,
    sampler: int,
    is_sparse: bool,
) -> tuple[Tensor | None, Tensor | SelectedRows | None, Tensor | SelectedRows | None]:
    o, n_true = SampleLogits, SampleLabels.shape[1] - num_neg_samples
    b = _noise(SampleLabels, CustomDistProbs, sampler, num_total_classes, num_neg_samples, o.dtype)
    slope = torch.cat([-b[:, :n_true], o[:, n_true:]], 1) * (1 - o) / (o + b) * Cost_grad
    if SampleWeight is not None:
        slope = slope * SampleWeight.reshape(-1, 1)
    input_grad = torch.einsum("ns,nsd->nd", slope, Weight[SampleLabels]) if needs[0] else None
    weight_grad, bias_grad = None, None
    if needs[1]:
        weight_grad = rows_grad(SampleLabels, slope.unsqueeze(-1) * Input.unsqueeze(1), Weight, is_sparse)
    if needs[2] and Bias is not None:
        bias_grad = rows_grad(SampleLabels, slope.unsqueeze(-1), Bias, is_sparse)
    return input_grad, weight_grad, bias_grad


def _noise(
    classes: Tensor, probs: Tensor | None, sampler: int, n_classes: int, n_samples: int, dtype: torch.dtype
) -> Tensor:
    """How often each class is expected among the drawn ones."""
    if sampler == UNIFORM:
        return torch.full_like(classes, n_samples / n_classes, dtype=dtype)
    if sampler == LOG_UNIFORM:  # as in Fluid, the last class is never drawn
        return log_uniform_probability(classes, n_classes - 1, dtype) * n_samples
    if sampler != CUSTOM:
        raise ArgumentError(f"sampler must be 0 (uniform), 1 (log uniform) or 2 (custom), got {sampler}")
    if probs is None:
        raise ArgumentError("input CustomDistProbs is missing, which sampler=2 reads")
    return probs.reshape(-1)[classes].to(dtype) * n_samples
