"""linear_chain_crf: the cost of tag sequences under a linear-chain conditional random field."""

from __future__ import annotations

from typing import Any

import torch

from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Shape, Tensor, op
from refluid.ops.sequence.chains import Chains, chains_of, check_sizes, check_tags
from refluid.ops.sequence.steps import steps_of


@op(
    "Alpha EmissionExps TransitionExps LogLikelihood",
    lod=None,
    intermediate="Alpha EmissionExps TransitionExps",
    dtypes={"Emission": FLOATS, "Transition": FLOATS, "Label": INDICES, "Length": INDICES},
)
def linear_chain_crf(
    Emission: Tensor, Emission_lod: LoD | None, Transition: Tensor, Label: Tensor, Length: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """LogLikelihood [sequences, 1] is minus the logarithm of the probability of Label (Lafferty et al., 2001).

    Transition [tags + 2, tags] holds the weights of starting and of ending with a tag, then those of going from the
    tag of the row to that of the column. Alpha are the forward variables, scaled to a sum of 1; EmissionExps is
    exp(Emission - the largest of its row), TransitionExps exp(Transition). The cost of an empty sequence is 0.
    """
    check_sizes(Emission.shape, Transition.shape, Label.shape, None if Length is None else Length.shape)
    chains = chains_of(Emission.shape, Emission_lod, Length, Emission.device)
    x, labels = chains.rows(Emission), chains.labels(Label)
    check_tags(labels, x.shape[1])
    top = Emission.amax(-1, True)
    exps, weights = torch.exp(Emission - top), torch.exp(Transition)
    if not len(x):
        return torch.zeros_like(Emission), exps, weights, x.new_zeros(chains.lod.count(), 1)
    steps = steps_of(chains.lod, False, x.device)
    alphas: list[Tensor] = []
    sums: list[Tensor] = []
    for e in steps.split(steps.gather(chains.rows(exps))):
        alpha = torch.mm(alphas[-1][: len(e)], weights[2:]) * e if alphas else weights[0] * e
        sums.append(alpha.sum(1, True))
        alphas.append(alpha / sums[-1])
    alpha, passed = steps.scatter(torch.cat(alphas)), steps.scatter(torch.cat(sums))
    tags = _Tags(chains, labels)
    ended = torch.log(torch.mv(alpha[tags.last], weights[1]))
    cost = tags.per_sequence((chains.rows(top) + torch.log(passed) - x.gather(1, labels.unsqueeze(1))).squeeze(1))
    cost = tags.per_sequence(-Transition[0, labels[tags.first]], tags.first, cost)
    cost = tags.per_sequence(ended - Transition[1, labels[tags.last]], tags.last, cost)
    cost = tags.per_sequence(-Transition[2:][labels[tags.later - 1], labels[tags.later]], tags.later, cost)
    return chains.whole(alpha, Emission.shape), exps, weights, cost.unsqueeze(1)


class _Tags:
    """The rows that start a sequence, end one, or follow another row of the same sequence."""

    def __init__(self, chains: Chains, labels: Tensor):
        device = labels.device
        offsets = chains.lod.offsets_tensor(device=device)
        lengths = chains.lod.lengths_tensor(device=device)
        self.sequences = chains.lod.segment_ids(device=device)
        self.count = chains.lod.count()
        self.first, self.last = offsets[:-1][lengths > 0], offsets[1:][lengths > 0] - 1
        later = torch.ones(len(labels), dtype=torch.bool, device=device)
        later[self.first] = False
        self.later = torch.nonzero(later).squeeze(1)

    def per_sequence(self, values: Tensor, rows: Tensor | None = None, more: Tensor | None = None) -> Tensor:
        """The sums of `values`, which belong to `rows` (None: all), by sequence; plus `more`."""
        to = self.sequences if rows is None else self.sequences[rows]
        return (values.new_zeros(self.count) if more is None else more).index_add(0, to, values)


@linear_chain_crf.infer
def linear_chain_crf_shapes(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    emission, transition, label, length = inputs
    check_sizes(emission.shape, transition.shape, label.shape, None if length is None else length.shape)
    same = Spec(emission.shape, emission.dtype)
    cost = Spec((-1 if length is None else emission.shape[0], 1), emission.dtype)
    return [same, same, Spec(transition.shape, transition.dtype), cost]


@linear_chain_crf.grad(once=True)
def linear_chain_crf_grad(
    Emission: Shape,
    Emission_lod: LoD | None,
    Transition: Shape,
    Label: Tensor,
    Length: Tensor | None,
    Alpha: Tensor,
    EmissionExps: Tensor,
    TransitionExps: Tensor,
    LogLikelihood_grad: Tensor,
) -> tuple[Tensor, Tensor]:
    """Expected minus actual counts of tags and transitions."""
    chains = chains_of(Emission, Emission_lod, Length, Alpha.device)
    alpha, exps, labels = chains.rows(Alpha), chains.rows(EmissionExps), chains.labels(Label)
    if not len(alpha):
        return torch.zeros_like(Alpha), torch.zeros_like(TransitionExps)
    tags, weights = _Tags(chains, labels), TransitionExps
    beta = _backward_variables(chains, exps, weights)
    expected = alpha * beta
    expected = expected / expected.sum(1, True)
    scale = LogLikelihood_grad.reshape(-1)[tags.sequences].unsqueeze(1)
    rows = torch.scatter_add(expected, 1, labels.unsqueeze(1), -torch.ones_like(scale)) * scale
    here, before = tags.later, tags.later - 1
    ahead = exps[here] * beta[here]
    passing = (torch.mm(alpha[before], weights[2:]) * ahead).sum(1, True)
    steps = weights[2:] * torch.mm(alpha[before].t(), ahead / passing * scale[here])
    taken = torch.zeros_like(steps).reshape(-1)
    taken = taken.index_add(0, labels[before] * len(steps) + labels[here], scale[here].squeeze(1)).reshape(steps.shape)
    transition = torch.cat([rows[tags.first].sum(0, True), rows[tags.last].sum(0, True), steps - taken])
    return chains.whole(rows, Emission), transition


def _backward_variables(chains: Chains, exps: Tensor, weights: Tensor) -> Tensor:
    """The backward variables of every row, scaled to a sum of 1."""
    steps = steps_of(chains.lod, False, exps.device)
    by_step: list[Tensor] = []
    after = exps.new_empty(0, exps.shape[1])  # of the sequences with a next step: exps * beta of that step
    for e in reversed(steps.split(steps.gather(exps))):
        ending = weights[1].expand(len(e) - len(after), -1)
        beta = torch.cat([torch.mm(after, weights[2:].t()), ending])
        beta = beta / beta.sum(1, True)
        by_step.append(beta)
        after = e * beta
    return steps.scatter(torch.cat(by_step[::-1]))
