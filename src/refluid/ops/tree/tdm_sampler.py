"""tdm_sampler: the path from the root to a leaf of a tree, and negative samples of each layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.core.dtypes import torch_dtype
from refluid.core.errors import ArgumentError, ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, DType, Tensor, op


@op("Out Labels Mask", nograd="*", lod=None, random="stream",
    dtypes={"X": INDICES, "Travel": INDICES, "Layer": INDICES})  # fmt: skip
def tdm_sampler(
    X: Tensor,
    Travel: Tensor,
    Layer: Tensor,
    *,
    rng: torch.Generator | None,
    neg_samples_num_list: list[int] = [],
    layer_offset_lod: list[int] = [],
    output_positive: bool = True,
    seed: int = 0,
    dtype: DType = 2,
) -> tuple[Tensor, Tensor, Tensor]:
    """For every leaf in X [N, 1] and every layer: the node on the way to it, and so many others, all different.

    Row i of Travel [leaves, layers] is the way to leaf i, 0 where it has ended; the nodes of layer j are the entries
    layer_offset_lod[j] to layer_offset_lod[j + 1] of Layer [nodes, 1]. Labels are 1 for nodes on the way, 0 for others;
    Mask is 0 (and so are Out and Labels) where a way has ended.
    """
    _check(X.shape, Travel.shape, neg_samples_num_list, layer_offset_lod)
    leaves = X.reshape(-1).to(torch.int64)
    outside = leaves[(leaves < 0) | (leaves >= Travel.shape[0])]
    if len(outside):
        raise ValueRangeError(f"X has leaf {int(outside[0])}, but Travel has 0 to {Travel.shape[0] - 1}")
    ways, nodes = Travel[leaves], Layer.reshape(-1)
    outs, labels, masks = [], [], []
    for layer, negatives in enumerate(neg_samples_num_list):
        members = nodes[layer_offset_lod[layer] : layer_offset_lod[layer + 1]]
        positive = ways[:, layer : layer + 1]
        going_on = positive != 0
        sampled = torch.cat([positive, _others(members, positive, negatives, rng)], 1) * going_on
        label = torch.zeros_like(sampled)
        label[:, :1] = going_on
        first = 0 if output_positive else 1
        outs.append(sampled[:, first:])
        labels.append(label[:, first:])
        masks.append(going_on.expand_as(sampled)[:, first:])
    kind = torch_dtype(dtype)
    return torch.cat(outs, 1).to(kind), torch.cat(labels, 1).to(kind), torch.cat(masks, 1).to(kind)


def _others(members: Tensor, positive: Tensor, count: int, rng: torch.Generator | None) -> Tensor:
    """`count` different nodes of a layer for every row, none of them its own: [N, count]."""
    device = members.device if rng is None else rng.device
    order = torch.rand(len(positive), len(members), generator=rng, device=device).to(members.device)
    order = order.masked_fill(members == positive, 2.0)  # comes last
    return members[order.argsort(1)[:, :count]]


@tdm_sampler.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, travel, _ = inputs
    negatives = attrs["neg_samples_num_list"]
    _check(x.shape, travel.shape, negatives, attrs["layer_offset_lod"])
    width = sum(negatives) + (len(negatives) if attrs["output_positive"] else 0)
    return [Spec((x.shape[0], width), torch_dtype(attrs["dtype"]))] * 3


def _check(x: Sequence[int], travel: Sequence[int], negatives: list[int], offsets: list[int]) -> None:
    if len(x) != 2 or x[1] != 1:
        raise ShapeError(f"X must be leaves [N, 1], got {list(x)}")
    if len(travel) != 2 or not travel[1] == len(negatives) == len(offsets) - 1:
        raise ShapeError(
            f"Travel must be [leaves, layers] with as many layers as neg_samples_num_list and layer_offset_lod tell, "
            f"got {list(travel)}, {negatives} and {offsets}"
        )
    for layer, count in enumerate(negatives):
        size = offsets[layer + 1] - offsets[layer]
        if not 0 <= count < size:
            raise ArgumentError(
                f"neg_samples_num_list: layer {layer} has {size} nodes, so at most {size - 1} others can be drawn, "
                f"got {count}"
            )
