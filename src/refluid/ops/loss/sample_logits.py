"""sample_logits: the logits of the labels and of a few classes drawn at random, for a sampled softmax."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.loss.labels import class_index
from refluid.ops.loss.sampling import log_uniform_probability, unique_log_uniform_classes
from refluid.ops.registry import FLOATS, INDICES, Shape, Tensor, op

HIT = 1e20  # subtracted from the logit of a sampled class that is a label of the sample, so that softmax ignores it


@op(
    "Samples Probabilities LogitsDim LabelsDim SampledLogits SampledLabels",
    lod=None,
    dtypes={"Logits": FLOATS, "Labels": INDICES},
    nograd="CustomizedSamples CustomizedProbabilities SampledLabels",
    intermediate="Samples Probabilities LogitsDim LabelsDim",
    random="stream",
    late="Logits Labels",
    views="CustomizedSamples CustomizedProbabilities",
)
def sample_logits(
    Logits: Tensor,
    Labels: Tensor,
    CustomizedSamples: Tensor | None = None,
    CustomizedProbabilities: Tensor | None = None,
    *,
    rng: torch.Generator | None,
    use_customized_samples: bool = False,
    uniq: bool = True,  # the classes drawn are always different, as in 1.8.5
    remove_accidental_hits: bool = True,
    num_samples: int,
    seed: int = 0,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """SampledLogits [N, labels + num_samples] = Logits[Samples] - log(Probabilities); SampledLabels = 0, 1, ...

    All samples share the drawn classes. Probabilities are those of being among them.
    """
    n_classes, n_true = Logits.shape[1], Labels.shape[1]
    labels, _ = class_index(Labels, n_classes, of="Logits", name="Labels")
    if use_customized_samples:
        if CustomizedSamples is None or CustomizedProbabilities is None:
            raise ArgumentError("inputs CustomizedSamples and CustomizedProbabilities are missing")
        samples, probabilities = CustomizedSamples, CustomizedProbabilities
    else:
        if num_samples > n_classes:
            raise ArgumentError(f"num_samples must not exceed the {n_classes} classes of Logits, got {num_samples}")
        if rng is None:
            drawn, draws = labels.new_empty(num_samples), num_samples
        else:
            drawn, draws = unique_log_uniform_classes(num_samples, n_classes, rng)
        samples = torch.cat([labels, drawn.expand(labels.shape[0], -1)], 1)
        once = log_uniform_probability(samples, n_classes, Logits.dtype)
        probabilities = -torch.expm1(draws * torch.log1p(-once))
    sampled = Logits.gather(1, samples)
    if remove_accidental_hits:
        hits = (samples[:, n_true:].unsqueeze(1) == labels.unsqueeze(2)).any(1)
        sampled = torch.cat([sampled[:, :n_true], sampled[:, n_true:] - HIT * hits], 1)
    positions = torch.arange(n_true, device=Labels.device).expand(Labels.shape)
    # The gradient reads only the shapes of the two *Dim outputs; expanded scalars take no memory.
    logits_dim, labels_dim = (Logits.new_zeros(()).expand(shape) for shape in (Logits.shape, Labels.shape))
    return samples, probabilities, logits_dim, labels_dim, sampled - torch.log(probabilities), positions


@sample_logits.grad
def sample_logits_grad(Samples: Tensor, LogitsDim: Shape, LabelsDim: Shape, SampledLogits_grad: Tensor) -> Tensor:
    return SampledLogits_grad.new_zeros(LogitsDim).scatter_add(1, Samples, SampledLogits_grad)
