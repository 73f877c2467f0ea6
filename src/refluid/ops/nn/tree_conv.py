"""tree_conv: a convolution over the nodes of trees (Mou et al., 2016)."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import FLOATS, INTS, Tensor, op


@op("Out", dtypes={"NodesVector": FLOATS, "EdgeSet": INTS, "Filter": FLOATS}, nograd="EdgeSet", late="EdgeSet")
def tree_conv(NodesVector: Tensor, EdgeSet: Tensor, Filter: Tensor, *, max_depth: int = 2) -> Tensor:
    """Out[n] = the sum over nodes m fewer than max_depth levels below n of (l, r, t) . Filter applied to m.

    t falls with the depth of m below n, l and r are the position of m among its siblings. NodesVector is [N, nodes, F],
    EdgeSet [N, edges, 2] holds pairs (parent, child) of node numbers from 1 and ends at a pair with a zero; Filter is
    [F, 3, outputs, filters] and Out [N, nodes, outputs, filters], zeros for nodes outside the tree.
    """
    if max_depth < 2:
        raise ArgumentError(f"max_depth must be 2 or more, got {max_depth}")
    if (
        NodesVector.dim() != 3
        or EdgeSet.dim() != 3
        or EdgeSet.shape[2] != 2
        or NodesVector.shape[0] != EdgeSet.shape[0]
    ):
        raise ShapeError(
            f"NodesVector must be [N, nodes, F] and EdgeSet [N, edges, 2], got {list(NodesVector.shape)} and "
            f"{list(EdgeSet.shape)}"
        )
    if Filter.dim() != 4 or list(Filter.shape[:2]) != [NodesVector.shape[2], 3]:
        raise ShapeError(f"Filter must be [{NodesVector.shape[2]}, 3, ...], got {list(Filter.shape)}")
    nodes = NodesVector.shape[1]
    if NodesVector.is_meta:
        shares = NodesVector.new_empty(NodesVector.shape[0], nodes, nodes, 3)
    else:
        rows = [_shares(edges, nodes, max_depth) for edges in EdgeSet.tolist()]
        shares = torch.tensor(rows, dtype=NodesVector.dtype, device=NodesVector.device)
    patches = torch.einsum("bnmk,bmf->bnfk", shares, NodesVector)
    return torch.einsum("bnfk,fkoq->bnoq", patches, Filter)


def _shares(edges: list[list[int]], nodes: int, max_depth: int) -> list:
    """[n][m] are the weights (l, r, t) of node m for node n."""
    children: dict[int, list[int]] = {}
    count = 1
    for parent, child in edges:
        if parent == 0 or child == 0:
            break
        children.setdefault(parent, []).append(child)
        count += 1
    if count > nodes:
        raise ShapeError(f"EdgeSet has a tree of {count - 1} edges, but {nodes} nodes have at most {nodes - 1}")
    used = [1, *children, *(child for below in children.values() for child in below)]
    if min(used) < 1 or max(used) > count:
        raise ArgumentError(
            f"EdgeSet: a tree of {count - 1} edges and {nodes} nodes has numbers 1 to {count}, "
            f"got {min(used) if min(used) < 1 else max(used)}"
        )
    table = [[[0.0, 0.0, 0.0] for _ in range(nodes)] for _ in range(nodes)]
    for top in range(1, count + 1):
        level = [(top, 0.5)]
        for depth in range(max_depth):
            t = (max_depth - depth) / max_depth
            below = []
            for node, place in level:
                left = (1 - t) * place
                # Fluid: the right weight is not the mirror of the left one.
                table[top - 1][node - 1] = [left, (1 - t) * (1 - left), t]
                siblings = children.get(node, [])
                for i, child in enumerate(siblings):
                    below.append((child, 0.5 if len(siblings) == 1 else i / (len(siblings) - 1)))
            level = below
    return table
