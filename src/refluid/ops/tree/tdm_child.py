"""tdm_child: the children of nodes of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.core.dtypes import torch_dtype
from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, DType, Tensor, op


@op("Child LeafMask", nograd="*", lod=None, dtypes={"X": INDICES, "TreeInfo": INDICES})
def tdm_child(X: Tensor, TreeInfo: Tensor, *, child_nums: int, dtype: DType = 2) -> tuple[Tensor, Tensor]:
    """Child [*X's shape, child_nums] are the children of the nodes in X, LeafMask is 1 for those that are leaves.

    A row of TreeInfo is a node: its item, its layer, its parent, its child_nums children; a leaf is a node whose item
    is not 0. A node without children (the first is 0), and node 0, which stands for none, has zeros.
    """
    _check(TreeInfo.shape, child_nums)
    nodes = X.to(torch.int64)
    outside = nodes[(nodes < 0) | (nodes >= TreeInfo.shape[0])]
    if outside.numel():
        raise ValueRangeError(
            f"X has node {int(outside.reshape(-1)[0])}, but TreeInfo has 0 to {TreeInfo.shape[0] - 1}"
        )
    children = TreeInfo[nodes][..., 3:]
    has_any = (nodes != 0) & (children[..., 0] != 0)
    children = torch.where(has_any.unsqueeze(-1), children, torch.zeros_like(children))
    leaf = (TreeInfo[children.to(torch.int64)][..., 0] != 0) & has_any.unsqueeze(-1)
    kind = torch_dtype(dtype)
    return children.to(kind), leaf.to(kind)


@tdm_child.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, tree = inputs
    _check(tree.shape, attrs["child_nums"])
    found = Spec((*x.shape, attrs["child_nums"]), torch_dtype(attrs["dtype"]))
    return [found, found]


def _check(tree: Sequence[int], child_nums: int) -> None:
    if len(tree) != 2 or tree[1] != 3 + child_nums:
        raise ShapeError(f"TreeInfo must be [nodes, 3 + child_nums] with child_nums={child_nums}, got {list(tree)}")
