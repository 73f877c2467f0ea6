"""Losses over many classes that evaluate a few of them: hsigmoid, nce, sampled_softmax_with_cross_entropy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.core.naming import FixedNames, LayerName
from refluid.core.warn import warn_once
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable, positive
from refluid.ops import registry
from refluid.ops.loss.nce import CUSTOM, LOG_UNIFORM, UNIFORM
from refluid.ops.loss.softmax_with_cross_entropy import softmax_with_cross_entropy
from refluid.ops.shape.one_hot import one_hot
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.create import make_parameter
from refluid.params.initializer import NumpyArrayInitializer

SAMPLERS = {"uniform": UNIFORM, "log_uniform": LOG_UNIFORM, "custom_dist": CUSTOM}


def hsigmoid(
    input: BaseVariable,
    label: BaseVariable,
    num_classes: int | None,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    name: str | None = None,
    path_table: BaseVariable | None = None,
    path_code: BaseVariable | None = None,
    is_custom: bool = False,
    is_sparse: bool = False,
) -> BaseVariable:
    """Hierarchical sigmoid (Morin and Bengio, 2005).

    The classes are the leaves of a binary tree; the loss of a label is the sum over the decisions on its path.

    Args:
        input: float features [N, D].
        label: int64 [N, 1].
        num_classes: the number of leaves of the complete tree; with is_custom, the number of inner nodes.
        param_attr: settings of the weights [inner nodes, D].
        bias_attr: settings of the biases [inner nodes, 1]; False for no bias.
        path_table: with is_custom, int64 [N, depth]: the inner nodes from the root to the leaf, -1 as padding.
        path_code: with is_custom, int64 [N, depth]: the decision at each of them, 0 or 1, -1 as padding.
        is_custom: use the tree of path_table and path_code.
        is_sparse: the gradient of the weights holds only the visited nodes (SelectedRows); for custom trees.

    Returns:
        The loss of every sample, [N, 1].
    """
    if is_custom and (path_table is None or path_code is None):
        raise ArgumentError("hsigmoid: is_custom=True needs path_table and path_code")
    num_classes = positive("hsigmoid: num_classes", num_classes)
    if num_classes < 2 and not is_custom:
        raise ArgumentError(f"hsigmoid: num_classes must be 2 or more, got {num_classes!r}")
    is_sparse = is_sparse and is_custom  # Fluid: the gradient of a complete tree is dense
    nodes = num_classes if is_custom else num_classes - 1
    layer = LayerName("hierarchical_sigmoid", name)
    need_variable("hsigmoid: input", input)
    weight = make_parameter(param_attr, [nodes, input.shape[1]], input.dtype, layer=layer)
    bias = make_parameter(bias_attr, [nodes, 1], input.dtype, is_bias=True, layer=layer)
    out, _, _ = registry.get("hierarchical_sigmoid")(
        input, weight, label, path_table, path_code, bias, name=layer, outs={"W_Out": weight}, num_classes=num_classes,
        is_sparse=is_sparse, remote_prefetch=is_sparse,
    )  # fmt: skip
    return out


def nce(
    input: BaseVariable,
    label: BaseVariable,
    num_total_classes: int,
    sample_weight: BaseVariable | None = None,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    num_neg_samples: int | None = None,
    name: str | None = None,
    sampler: str = "uniform",
    custom_dist: Sequence[float] | None = None,
    seed: int = 0,
    is_sparse: bool = False,
) -> BaseVariable:
    """Noise-contrastive estimation (Gutmann and Hyvarinen, 2010): tells the labels from sampled negative classes.

    Args:
        input: float features [N, D].
        label: int64 [N, labels per sample].
        num_total_classes: the number of classes.
        sample_weight: the weight of each sample, float [N, 1]; None for 1.
        param_attr: settings of the weights [num_total_classes, D].
        bias_attr: settings of the biases [num_total_classes, 1]; False for no bias.
        num_neg_samples: the number of negative samples; None for 10.
        sampler: "uniform", "log_uniform" or "custom_dist".
        custom_dist: the probabilities of the classes for sampler="custom_dist".
        seed: the seed of the sampler; 0 for the program's random_seed.
        is_sparse: the gradient of the weights holds only the sampled classes (SelectedRows).

    Returns:
        The loss of every sample, [N, 1].
    """
    need_variable("nce: input", input)
    if sampler not in SAMPLERS:
        raise ArgumentError(f"nce: sampler must be 'uniform', 'log_uniform' or 'custom_dist', got {sampler!r}")
    layer = LayerName("nce", name)
    weight = make_parameter(param_attr, [num_total_classes, input.shape[1]], input.dtype, layer=layer)
    bias = make_parameter(bias_attr, [num_total_classes, 1], input.dtype, is_bias=True, layer=layer)
    tables = custom_tables("nce", sampler, custom_dist, num_total_classes, layer)
    negatives = 10 if num_neg_samples is None else int(num_neg_samples)
    cost, _, _ = registry.get("nce")(
        input, label, weight, bias, sample_weight, *tables, name=layer, num_total_classes=int(num_total_classes),
        num_neg_samples=negatives, seed=seed, sampler=SAMPLERS[sampler], is_sparse=is_sparse,
        remote_prefetch=is_sparse,
    )  # fmt: skip
    return cost / (negatives + 1)


def custom_tables(
    what: str, sampler: str, custom_dist: Sequence[float] | None, classes: int, layer: LayerName
) -> list[BaseVariable]:
    """The alias tables that the operator draws from `custom_dist` with; none with another sampler."""
    if sampler != "custom_dist":
        if custom_dist is not None:
            warn_once(f"{what}: custom_dist is not used without sampler='custom_dist'")
        return []
    if custom_dist is None:
        raise ArgumentError(f"{what}: sampler='custom_dist' needs custom_dist")
    if len(custom_dist) != classes:
        raise ArgumentError(f"{what}: {classes} classes, but custom_dist has {len(custom_dist)} numbers")
    alias, share = _alias_table([float(p) for p in custom_dist])
    values = (np.array(custom_dist, "float32"), np.array(alias, "int32"), np.array(share, "float32"))
    return [_constant(value, layer) for value in values]


def _constant(value: np.ndarray, layer: LayerName) -> BaseVariable:
    return make_parameter(
        ParamAttr(initializer=NumpyArrayInitializer(value)), value.shape, str(value.dtype), layer=layer,
        stop_gradient=True,
    )  # fmt: skip


def _alias_table(probabilities: list[float]) -> tuple[list[int], list[float]]:
    """Walker's tables: draw a class, keep it with its share, else take its alias."""
    count = len(probabilities)
    share = [p * count for p in probabilities]
    alias = [-1] * count
    small = [i for i, p in enumerate(share) if p < 1]
    large = [i for i, p in enumerate(share) if p > 1]
    while small and large:
        below, above = small.pop(0), large.pop(0)
        alias[below] = above
        share[above] -= 1 - share[below]
        (small if share[above] < 1 else large if share[above] > 1 else []).append(above)
    for left in (*small, *large):  # only rounding is left of these
        share[left] = 1.0
    return alias, share


def sampled_softmax_with_cross_entropy(
    logits: BaseVariable,
    label: BaseVariable,
    num_samples: int,
    num_true: int = 1,
    remove_accidental_hits: bool = True,
    use_customized_samples: bool = False,
    customized_samples: BaseVariable | None = None,
    customized_probabilities: BaseVariable | None = None,
    seed: int = 0,
) -> BaseVariable:
    """softmax_with_cross_entropy over the labels and num_samples sampled classes (Jean et al., 2014).

    Args:
        logits: float [N, classes].
        label: int64 [N, num_true].
        num_samples: the number of sampled classes, shared by the batch.
        num_true: the number of labels of a sample.
        remove_accidental_hits: a sampled class that is a label does not count.
        use_customized_samples: use the next two arguments instead of sampling.
        customized_samples: int64 [N, num_true + num_samples]: the labels, then the sampled classes.
        customized_probabilities: their probabilities, float and of the same shape.
        seed: the seed of the sampler; 0 for the program's random_seed.

    Returns:
        The loss of every sample, [N, 1].
    """
    if use_customized_samples and (customized_samples is None or customized_probabilities is None):
        raise ArgumentError(
            "sampled_softmax_with_cross_entropy: use_customized_samples=True needs customized_samples and "
            "customized_probabilities"
        )
    layer = LayerName("sample_logits")
    names = [layer.tmp() for _ in range(9)]  # Fluid numbers them before it calls the operators
    *_, sampled, columns = registry.get("sample_logits")(
        logits, label, customized_samples, customized_probabilities,
        name=FixedNames(*(names[i] for i in (0, 1, 5, 6, 2, 3))),
        use_customized_samples=use_customized_samples, uniq=True, remove_accidental_hits=remove_accidental_hits,
        num_samples=num_samples, seed=seed,
    )  # fmt: skip
    truth = one_hot(columns, name=FixedNames(names[4]), depth=num_samples + 1)
    _, loss = softmax_with_cross_entropy(
        sampled, truth, name=FixedNames(names[8], names[7]), soft_label=True, ignore_index=0, numeric_stable_mode=False
    )
    return loss / num_true
