"""Losses of ranking, of metric learning and of overlap."""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.core.naming import NO_LAYER, LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, need_variable
from refluid.layers.compare import equal
from refluid.layers.loss import softmax_with_cross_entropy
from refluid.layers.math import matmul
from refluid.layers.mixed import stopped
from refluid.layers.reduce import reduce_mean, reduce_sum
from refluid.layers.shape import expand, reshape, transpose
from refluid.layers.tensor import one_hot
from refluid.layers.unary import square
from refluid.ops import registry
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter
from refluid.params.state import make_state


def bpr_loss(input: BaseVariable, label: BaseVariable, name: str | None = None) -> BaseVariable:
    """Bayesian personalized ranking loss (Rendle et al., 2009).

    The mean over the other classes j of -log(sigmoid(input[label] - input[j])).

    Args:
        input: float scores [N, classes].
        label: int64 [N, 1].

    Returns:
        The loss of every sample, [N, 1].
    """
    return registry.get("bpr_loss")(input, label, name=name)


def rank_loss(label: BaseVariable, left: BaseVariable, right: BaseVariable, name: str | None = None) -> BaseVariable:
    """log(1 + exp(left - right)) - label * (left - right): RankNet's loss of pairs (Burges et al., 2005).

    Args:
        label: float [N, 1]; 1 where left ranks higher, 0 where right does.
        left: float scores [N, 1].
        right: float scores [N, 1].

    Returns:
        The loss of every pair, [N, 1].
    """
    return registry.get("rank_loss")(label, left, right, name=name)


def margin_rank_loss(
    label: BaseVariable, left: BaseVariable, right: BaseVariable, margin: float = 0.1, name: str | None = None
) -> BaseVariable:
    """max(0, -label * (left - right) + margin): margin ranking loss of pairs.

    Args:
        label: float [N, 1]; 1 where left ranks higher, -1 where right does.
        left: float scores [N, 1].
        right: float scores [N, 1].
        margin: the distance from which on a pair has no loss.

    Returns:
        The loss of every pair, [N, 1].
    """
    _, out = registry.get("margin_rank_loss")(left, right, label, name=name, margin=float(margin))
    return out


def teacher_student_sigmoid_loss(
    input: BaseVariable, label: BaseVariable, soft_max_up_bound: float = 15.0, soft_max_lower_bound: float = -15.0
) -> BaseVariable:
    """Sigmoid cross entropy with a click and with a teacher's score, which share one label.

    With l(z) = max(x, 0) - x * z + log(1 + exp(-|x|)) and z' the teacher's score from 0 to 1, label is -2 (no click, no
    teacher's score: l(0)), -1 (click, no teacher's score: l(1)), z' (no click: l(0) + l(z')) or 1 + z' (click:
    l(1) + l(z')).

    Args:
        input: float logits x, [N, 1].
        label: float [N, 1], as above.
        soft_max_up_bound: the upper bound of the logits in the gradient.
        soft_max_lower_bound: the lower bound, likewise.

    Returns:
        The loss of every sample, [N, 1].
    """
    return registry.get("teacher_student_sigmoid_loss")(
        input, label, name=NO_LAYER, soft_max_up_bound=float(soft_max_up_bound),
        soft_max_lower_bound=float(soft_max_lower_bound),
    )  # fmt: skip


def sigmoid_focal_loss(
    x: BaseVariable, label: BaseVariable, fg_num: BaseVariable, gamma: float = 2.0, alpha: float = 0.25
) -> BaseVariable:
    """Focal loss per class (Lin et al., 2017): cross entropy weighted by alpha * (1 - p)^gamma, divided by fg_num.

    Args:
        x: float logits [N, classes].
        label: int32 [N, 1], from 1 for the classes, 0 for background, -1 to ignore a row.
        fg_num: int32 [1], the number of foreground samples.
        gamma: the exponent that reduces the loss of easy samples.
        alpha: the weight of the foreground.

    Returns:
        The loss of every element, [N, classes].
    """
    return registry.get("sigmoid_focal_loss")(x, label, fg_num, gamma=float(gamma), alpha=float(alpha))


def center_loss(
    input: BaseVariable,
    label: BaseVariable,
    num_classes: int,
    alpha: float | BaseVariable,
    param_attr: AttrLike,
    update_center: bool = True,
) -> BaseVariable:
    """0.5 * ||input - center of the label's class||^2 (Wen et al., 2016).

    Args:
        input: float features [N, D].
        label: int64 [N, 1].
        num_classes: the number of classes.
        alpha: the learning rate of the centers, a number or a float32 variable [1].
        param_attr: settings of the centers [num_classes, D].
        update_center: whether the centers are updated.

    Returns:
        The loss of every sample, [N, 1].
    """
    need_variable("center_loss: input", input)
    layer = LayerName("center_loss")
    centers = make_parameter(param_attr, [num_classes, input.shape[1]], input.dtype, layer=layer, stop_gradient=True)
    if not is_variable(alpha):
        alpha = stopped(make_state([1], "float32", alpha, name="centerloss_alpha", every_run=True))
    _, _, loss = registry.get("center_loss")(
        input, label, centers, alpha, name=layer, outs={"CentersOut": centers}, cluster_num=num_classes,
        need_update=update_center,
    )  # fmt: skip
    return loss


def dice_loss(
    input: BaseVariable, label: BaseVariable, epsilon: float = 1e-05, name: str | None = None
) -> BaseVariable:
    """1 - 2 * sum(input * label) / (sum(input) + sum(label) + epsilon), averaged over the batch.

    Args:
        input: float probabilities [N, ..., classes].
        label: int64 [N, ..., 1]; taken one-hot.
        epsilon: keeps the divisor from 0.

    Returns:
        A variable [1].
    """
    need_variable("dice_loss: input", input)
    truth = one_hot(label, depth=input.shape[-1])
    axes = list(range(1, len(input.shape)))
    overlap = reduce_sum(input * truth, dim=axes)
    total = reduce_sum(input, dim=axes) + reduce_sum(truth, dim=axes)
    return reduce_mean(1 - overlap * 2 / (total + epsilon))


def npair_loss(
    anchor: BaseVariable, positive: BaseVariable, labels: BaseVariable, l2_reg: float = 0.002
) -> BaseVariable:
    """N-pair loss (Sohn, 2016): softmax cross entropy of anchor @ positive^T with equal labels, plus L2 regularization.

    Args:
        anchor: float features [N, D].
        positive: float features [N, D], row i of the same class as row i of anchor.
        labels: int or float labels [N]; N must be known while building.
        l2_reg: the weight of the squared norms.

    Returns:
        A variable [1].
    """
    need_variable("npair_loss: labels", labels)
    batch = labels.shape[0]
    if batch < 0:
        raise ShapeError(f"npair_loss: the size of {labels.name} {list(labels.shape)} must be known")
    # Fluid reshapes the labels in place, which later operators of the program may rely on.
    row = expand(reshape(labels, shape=[batch, 1], inplace=True), expand_times=[1, batch])
    same = equal(row, transpose(row, perm=[1, 0])).astype("float32")
    same = same / reduce_sum(same, dim=1, keep_dim=True)
    norms = [reduce_mean(reduce_sum(square(features), dim=1)) for features in (anchor, positive)]
    penalty = (norms[0] + norms[1]) * 0.25 * l2_reg
    similarity = matmul(anchor, positive, transpose_y=True)
    cost = softmax_with_cross_entropy(similarity, same, soft_label=True)
    return penalty + reduce_mean(reduce_sum(same * cost, dim=0))
