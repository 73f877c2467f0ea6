"""crf_decoding: the most probable tags under a linear-chain conditional random field."""

from __future__ import annotations

from typing import Any

import torch

from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op
from refluid.ops.sequence.chains import Chains, chains_of, check_sizes
from refluid.ops.sequence.steps import steps_of


@op(
    "ViterbiPath",
    lod="Emission",
    nograd="*",
    dtypes={"Emission": FLOATS, "Transition": FLOATS, "Label": INDICES, "Length": INDICES},
)
def crf_decoding(
    Emission: Tensor,
    Emission_lod: LoD | None,
    Transition: Tensor,
    Label: Tensor | None = None,
    Length: Tensor | None = None,
) -> Tensor:
    """ViterbiPath [rows, 1] are the best tags, found by Viterbi's algorithm; int64. Padded: [sequences, length].

    With Label it tells instead whether they are right: 1 or 0. Transition is that of linear_chain_crf.
    """
    check_sizes(
        Emission.shape, Transition.shape, None if Label is None else Label.shape,
        None if Length is None else Length.shape,
    )  # fmt: skip
    chains = chains_of(Emission.shape, Emission_lod, Length, Emission.device)
    path = _best(chains, chains.rows(Emission), Transition)
    if Label is not None:
        path = (path == chains.labels(Label)).long()
    whole = chains.whole(path.unsqueeze(1), (*Emission.shape[:-1], 1))
    return whole if Length is None else whole.squeeze(2)


def _best(chains: Chains, x: Tensor, Transition: Tensor) -> Tensor:
    """The best tag of every row, int64 [rows]."""
    if not len(x):
        return x.new_zeros(0, dtype=torch.int64)
    steps = steps_of(chains.lod, False, x.device)
    scores: list[Tensor] = []  # of the best way to every tag, step by step
    ways: list[Tensor] = []  # the tag before on that way
    for e in steps.split(steps.gather(x)):
        if scores:
            best, way = (scores[-1][: len(e)].unsqueeze(2) + Transition[2:]).max(1)
            scores.append(best + e)
            ways.append(way)
        else:
            scores.append(Transition[0] + e)
    tags = x.new_zeros(0, dtype=torch.int64)  # of the sequences that have a next step
    found: list[Tensor] = []
    for k in reversed(range(len(scores))):
        if len(tags):
            tags = ways[k].gather(1, tags.unsqueeze(1)).squeeze(1)
        ending = (scores[k][len(tags) :] + Transition[1]).argmax(1)
        tags = torch.cat([tags, ending])
        found.append(tags)
    return steps.scatter(torch.cat(found[::-1]))


@crf_decoding.infer
def crf_decoding_shape(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    emission, transition, label, length = inputs
    check_sizes(
        emission.shape, transition.shape, None if label is None else label.shape,
        None if length is None else length.shape,
    )  # fmt: skip
    sizes = (*emission.shape[:-1], 1) if length is None else emission.shape[:-1]
    return [Spec(tuple(sizes), torch.int64)]
