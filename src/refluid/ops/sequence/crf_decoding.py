"""crf_decoding: the most probable tags under a linear-chain conditional random field."""

from __future__ import annotations

from typing import Any

import torch

from refluid.native import call as native
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

    With Label it is 1 where they are right and 0 elsewhere instead. Transition is that of linear_chain_crf.
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
    if native.takes(x, Transition) and x.dtype == Transition.dtype:
        path = torch.empty(len(x), dtype=torch.int64)
        offsets, weights = chains.lod.offsets_tensor(), Transition.contiguous()
        native.call("viterbi_", x.contiguous(), offsets, chains.lod.count(), x.shape[1], weights, path)
        return path
    steps = steps_of(chains.lod, False, x.device)
    scores: list[Tensor] = []  # score of the best path to every tag, by step
    ways: list[Tensor] = []  # the previous tag on that path
    for e in steps.split(steps.gather(x)):
        if scores:
            best, way = (scores[-1][: len(e)].unsqueeze(2) + Transition[2:]).max(1)
            scores.append(best + e)
            ways.append(way)
        else:
            scores.append(Transition[0] + e)
    tags = x.new_zeros(0, dtype=torch.int64)  # sequences with a next step
    tags_by_step: list[Tensor] = []
    for k in reversed(range(len(scores))):
        if len(tags):
            tags = ways[k].gather(1, tags.unsqueeze(1)).squeeze(1)
        ending = (scores[k][len(tags) :] + Transition[1]).argmax(1)
        tags = torch.cat([tags, ending])
        tags_by_step.append(tags)
    return steps.scatter(torch.cat(tags_by_step[::-1]))


@crf_decoding.infer
def crf_decoding_shape(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    emission, transition, label, length = inputs
    check_sizes(
        emission.shape, transition.shape, None if label is None else label.shape,
        None if length is None else length.shape,
    )  # fmt: skip
    sizes = (*emission.shape[:-1], 1) if length is None else emission.shape[:-1]
    return [Spec(tuple(sizes), torch.int64)]
