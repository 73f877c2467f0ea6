"""hierarchical_sigmoid: a classifier of many classes as a path of binary decisions down a tree."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.loss.labels import class_index
from refluid.ops.registry import FLOATS, INDICES, Long, Tensor, op
from refluid.tensor.selected_rows import SelectedRows

BOUND = 40.0  # scores are clipped to it, so that no exponential overflows


@op(
    "Out PreOut W_Out",
    lod=None,
    dtypes={"X": FLOATS, "W": FLOATS, "Label": INDICES, "PathTable": INDICES, "PathCode": INDICES},
    nograd="Label PathTable PathCode",
    intermediate="PreOut W_Out",
    dispensable="W_Out",
    inplace={"W_Out": "W"},  # nothing is written; Fluid's programs name W here too
)
def hierarchical_sigmoid(
    X: Tensor,
    W: Tensor,
    Label: Tensor,
    PathTable: Tensor | None = None,
    PathCode: Tensor | None = None,
    Bias: Tensor | None = None,
    *,
    num_classes: int = 2,
    remote_prefetch: bool = False,
    trainer_id: int = 0,
    height_sections: list[Long] = [],
    epmap: list[str] = [],
    table_names: list[str] = [],
    is_sparse: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Out [N, 1] = sum over the label's path of log(1 + exp(s)) - code * s with s = X.W[node] + Bias[node].

    Without PathTable and PathCode [N, length] (-1 ends a path) the tree is the complete one. As in Fluid, each step of
    padding behind a shorter path adds log(2). PreOut [N, longest] is log(1 + exp(s)).
    """
    if X.dim() != 2 or W.dim() != 2 or X.shape[1] != W.shape[1]:
        raise ShapeError(f"X has shape {list(X.shape)}, but W has {list(W.shape)}: their last sizes must be equal")
    if Label.numel() != X.shape[0]:
        raise ShapeError(f"X has {X.shape[0]} rows, so Label must be [{X.shape[0]}, 1], got {list(Label.shape)}")
    node, code, on_path = _paths(Label, PathTable, PathCode, num_classes, W.shape[0])
    scores = torch.einsum("nd,nld->nl", X, W[node])
    if Bias is not None:
        scores = scores + Bias.reshape(-1)[node]
    scores = (scores * on_path).clamp(-BOUND, BOUND)
    entropy = torch.nn.functional.softplus(scores, threshold=BOUND)
    return (entropy - code * scores).sum(1, keepdim=True), entropy, W


@hierarchical_sigmoid.grad(once=True)
def hierarchical_sigmoid_grad(
    X: Tensor,
    W: Tensor,
    Label: Tensor,
    PathTable: Tensor | None,
    PathCode: Tensor | None,
    Bias: Tensor | None,
    PreOut: Tensor,
    Out_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    num_classes: int,
    is_sparse: bool,
) -> tuple[Tensor | None, Tensor | SelectedRows | None, Tensor | SelectedRows | None]:
    node, code, on_path = _paths(Label, PathTable, PathCode, num_classes, W.shape[0])
    slope = (1 - torch.exp(-PreOut) - code) * on_path * Out_grad  # 1 - exp(-PreOut) is sigmoid(s)
    x_grad = torch.einsum("nl,nld->nd", slope, W[node]) if needs[0] else None
    w_grad, bias_grad = None, None
    if needs[1]:
        w_grad = rows_grad(node, slope.unsqueeze(-1) * X.unsqueeze(1), W, is_sparse)
    if needs[2] and Bias is not None:
        bias_grad = rows_grad(node, slope.unsqueeze(-1), Bias, is_sparse)
    return x_grad, w_grad, bias_grad


def rows_grad(index: Tensor, value: Tensor, like: Tensor, is_sparse: bool) -> Tensor | SelectedRows:
    """The gradient of a matrix whose rows `index` were read, dense or as those rows alone."""
    index = index.reshape(-1)
    value = value.reshape(index.numel(), *like.shape[1:])
    if is_sparse:
        return SelectedRows.of(index, value, like.shape[0])
    return torch.zeros_like(like).index_add(0, index, value)


def _paths(
    label: Tensor, table: Tensor | None, code: Tensor | None, num_classes: int, nodes: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Per sample the nodes of its path, the decision at each, and which of them count; all [N, longest]."""
    if (table is None) != (code is None):
        raise ArgumentError("PathTable and PathCode must be given together")
    if table is not None and code is not None:
        if table.shape != code.shape:
            raise ShapeError(f"PathTable has shape {list(table.shape)}, but PathCode has {list(code.shape)}")
        on_path = (table >= 0).long().cumprod(1)  # the first negative one ends the path
        node, _ = class_index(table.long() * on_path, nodes, of="W", name="PathTable")
        return node, code * on_path, on_path
    if num_classes < 2:
        raise ArgumentError(f"num_classes must be 2 or more, got {num_classes}")
    label, _ = class_index(label.reshape(-1, 1), num_classes, of="the tree")
    # Class c is leaf c + num_classes of a heap; its ancestors are that number shifted right.
    leaf = label + num_classes
    steps = torch.arange((num_classes - 1).bit_length(), device=label.device)
    ancestor = leaf >> (steps + 1)
    on_path = (ancestor > 0).long()
    return (ancestor - 1).clamp(min=0), (leaf >> steps & 1) * on_path, on_path
