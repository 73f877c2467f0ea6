"""Losses of order, of likeness and of overlap."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ShapeError
from refluid.core.naming import NO_LAYER, LayerName
from refluid.layers.compare import equal
from refluid.layers.loss import softmax_with_cross_entropy
from refluid.layers.math import matmul
from refluid.layers.numbers import is_variable, need_variable
from refluid.layers.reduce import reduce_mean, reduce_sum
from refluid.layers.shape import expand, reshape, transpose
from refluid.layers.tensor import one_hot
from refluid.layers.unary import square
from refluid.ops import registry
from refluid.params.create import make_parameter
from refluid.params.state import make_state


def bpr_loss(input: Any, label: Any, name: str | None = None) -> Any:
    """How much the other classes' scores come up to the label's (Rendle et al., 2009).

    Args:
        input: scores [N, classes]; label: int64 [N, 1].
    Returns:
        [N, 1].
    """
    return registry.get("bpr_loss")(input, label, name=name)


def rank_loss(label: Any, left: Any, right: Any, name: str | None = None) -> Any:
    """log(1 + exp(left - right)) - label * (left - right), all [N, 1]; label 1 means left ranks higher."""
    return registry.get("rank_loss")(label, left, right, name=name)


def margin_rank_loss(label: Any, left: Any, right: Any, margin: float = 0.1, name: str | None = None) -> Any:
    """max(0, -label * (left - right) + margin), all [N, 1]; label 1 means left ranks higher, -1 right."""
    _, out = registry.get("margin_rank_loss")(left, right, label, name=name, margin=float(margin))
    return out


def teacher_student_sigmoid_loss(
    input: Any, label: Any, soft_max_up_bound: float = 15.0, soft_max_lower_bound: float = -15.0
) -> Any:
    """Click and teacher's score in one label; input and label are [N, 1].

    Args:
        soft_max_up_bound, soft_max_lower_bound: the input is cut to this range.
    """
    return registry.get("teacher_student_sigmoid_loss")(
        input, label, name=NO_LAYER, soft_max_up_bound=float(soft_max_up_bound),
        soft_max_lower_bound=float(soft_max_lower_bound),
    )  # fmt: skip


def sigmoid_focal_loss(x: Any, label: Any, fg_num: Any, gamma: float = 2.0, alpha: float = 0.25) -> Any:
    """A yes-or-no loss per class that counts easy samples less (Lin et al., 2017).

    Args:
        x: logits [N, classes]; label: int32 [N, 1], 0 for background; fg_num: int32 [1], number of objects.
    """
    return registry.get("sigmoid_focal_loss")(x, label, fg_num, gamma=float(gamma), alpha=float(alpha))


def center_loss(
    input: Any, label: Any, num_classes: int, alpha: Any, param_attr: Any, update_center: bool = True
) -> Any:
    """Half the squared distance from the centre of the label's class (Wen et al., 2016).

    Args:
        input: features [N, width]; label: int64 [N, 1].
        alpha: how fast centres follow, a number or a variable of one element.
        param_attr: settings of the centres, [num_classes, width].
        update_center: whether they follow at all.
    Returns:
        [N, 1].
    """
    need_variable("center_loss: input", input)
    layer = LayerName("center_loss")
    centers = make_parameter(param_attr, [num_classes, input.shape[1]], input.dtype, layer=layer, stop_gradient=True)
    if not is_variable(alpha):
        alpha = make_state([1], "float32", alpha, name="centerloss_alpha", every_run=True)
        alpha.stop_gradient = True
    _, _, loss = registry.get("center_loss")(
        input, label, centers, alpha, name=layer, outs={"CentersOut": centers}, cluster_num=num_classes,
        need_update=update_center,
    )  # fmt: skip
    return loss


def dice_loss(input: Any, label: Any, epsilon: float = 1e-05, name: str | None = None) -> Any:
    """1 - 2 * overlap / (input + label), averaged over the batch (Milletari et al., 2016).

    Args:
        input: probabilities [N, ..., classes]; label: int64 [N, ..., 1].
    Returns:
        [1].
    """
    need_variable("dice_loss: input", input)
    truth = one_hot(label, depth=input.shape[-1])
    axes = list(range(1, len(input.shape)))
    overlap = reduce_sum(input * truth, dim=axes)
    whole = reduce_sum(input, dim=axes) + reduce_sum(truth, dim=axes)
    return reduce_mean(1 - overlap * 2 / (whole + epsilon))


def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """Anchors are to be nearest to the positives of their own label (Sohn, 2016).

    Args:
        anchor, positive: features [N, width]; labels: [N].
        l2_reg: weight of the features' lengths.
    Returns:
        [1].
    """
    need_variable("npair_loss: labels", labels)
    batch = labels.shape[0]
    if batch < 0:
        raise ShapeError(f"npair_loss: the size of {labels.name} {list(labels.shape)} must be known")
    # Fluid reshapes the labels in place; so does this, for programs that go on with them.
    row = expand(reshape(labels, shape=[batch, 1], inplace=True), expand_times=[1, batch])
    same = equal(row, transpose(row, perm=[1, 0])).astype("float32")
    same = same / reduce_sum(same, dim=1, keep_dim=True)
    lengths = [reduce_mean(reduce_sum(square(one), dim=1)) for one in (anchor, positive)]
    regular = (lengths[0] + lengths[1]) * 0.25 * l2_reg
    likeness = matmul(anchor, positive, transpose_y=True)
    cost = softmax_with_cross_entropy(likeness, same, soft_label=True)
    return regular + reduce_mean(reduce_sum(same * cost, dim=0))
