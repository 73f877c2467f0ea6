"""Losses of many classes that look at a few of them: hsigmoid, nce, sampled_softmax_with_cross_entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.core.naming import FixedNames, LayerName
from refluid.core.warn import warn_once
from refluid.layers.numbers import need_variable, positive
from refluid.ops import registry
from refluid.ops.loss.nce import CUSTOM, LOG_UNIFORM, UNIFORM
from refluid.ops.loss.softmax_with_cross_entropy import softmax_with_cross_entropy
from refluid.ops.shape.one_hot import one_hot
from refluid.params.attr import ParamAttr
from refluid.params.create import make_parameter
from refluid.params.initializer import NumpyArrayInitializer

SAMPLERS = {"uniform": UNIFORM, "log_uniform": LOG_UNIFORM, "custom_dist": CUSTOM}


def hsigmoid(
    input: Any,
    label: Any,
    num_classes: int | None,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
    path_table: Any = None,
    path_code: Any = None,
    is_custom: bool = False,
    is_sparse: bool = False,
) -> Any:
    """The classes are leaves of a tree; the loss is that of the decisions on the way to the label.

    Args:
        input: features [N, D]; label: int64 [N, 1].
        num_classes: of the complete binary tree; with is_custom, the number of inner nodes.
        path_table, path_code: with is_custom, int64 [N, longest way]: the nodes and decisions, -1 behind the end.
        is_sparse: the gradient of the nodes' weights holds only those passed (SelectedRows); for custom trees.
    Returns:
        [N, 1].
    """
    if is_custom and (path_table is None or path_code is None):
        raise ArgumentError("hsigmoid: is_custom=True needs path_table and path_code")
    num_classes = positive("hsigmoid: num_classes", num_classes)
    if num_classes < 2 and not is_custom:
        raise ArgumentError(f"hsigmoid: num_classes must be 2 or more, got {num_classes!r}")
    is_sparse = is_sparse and is_custom  # Fluid: a complete tree is passed in so many places that it is dense
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
    input: Any,
    label: Any,
    num_total_classes: int,
    sample_weight: Any = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    num_neg_samples: int | None = None,
    name: str | None = None,
    sampler: str = "uniform",
    custom_dist: Any = None,
    seed: int = 0,
    is_sparse: bool = False,
) -> Any:
    """Tell the label from a few classes drawn at random (Gutmann and Hyvarinen, 2010).

    Args:
        input: features [N, D]; label: int64 [N, labels per sample].
        sample_weight: [N, 1], how much each sample counts.
        num_neg_samples: how many classes are drawn for each sample; 10 by default.
        sampler: "uniform", "log_uniform" or "custom_dist" with the probabilities `custom_dist`.
        is_sparse: the gradient of the weights holds only the classes seen (SelectedRows).
    Returns:
        [N, 1].
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


def custom_tables(what: str, sampler: str, custom_dist: Any, classes: int, layer: LayerName) -> list[Any]:
    """What the operator needs to draw from `custom_dist`; nothing with another sampler."""
    if sampler == "custom_dist" and custom_dist is None:
        raise ArgumentError(f"{what}: sampler='custom_dist' needs custom_dist")
    if sampler != "custom_dist":
        if custom_dist is not None:
            warn_once(f"{what}: custom_dist is not used without sampler='custom_dist'")
        return []
    if len(custom_dist) != classes:
        raise ArgumentError(f"{what}: {classes} classes, but custom_dist has {len(custom_dist)} numbers")
    alias, share = _alias_table([float(p) for p in custom_dist])
    values = (np.array(custom_dist, "float32"), np.array(alias, "int32"), np.array(share, "float32"))
    return [_constant(value, layer) for value in values]


def _constant(value: np.ndarray, layer: LayerName) -> Any:
    made = make_parameter(
        ParamAttr(initializer=NumpyArrayInitializer(value)), value.shape, str(value.dtype), layer=layer,
        stop_gradient=True,
    )  # fmt: skip
    return made


def _alias_table(probabilities: list[float]) -> tuple[list[int], list[float]]:
    """Walker's tables: draw a class, keep it with its share, else take its alias."""
    count = len(probabilities)
    share = [p * count for p in probabilities]
    alias = [-1] * count
    small = [i for i, p in enumerate(share) if p < 1]
    large = [i for i, p in enumerate(share) if p > 1]
    while small and large:
        one, other = small.pop(0), large.pop(0)
        alias[one] = other
        share[other] -= 1 - share[one]
        (small if share[other] < 1 else large if share[other] > 1 else []).append(other)
    for left in (*small, *large):  # only rounding is left of these
        share[left] = 1.0
    return alias, share


def sampled_softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    num_samples: int,
    num_true: int = 1,
    remove_accidental_hits: bool = True,
    use_customized_samples: bool = False,
    customized_samples: Any = None,
    customized_probabilities: Any = None,
    seed: int = 0,
) -> Any:
    """softmax_with_cross_entropy over the labels and num_samples classes drawn at random (Jean et al., 2014).

    Args:
        logits: [N, classes]; label: int64 [N, num_true].
        remove_accidental_hits: a drawn class that is a label does not count.
        use_customized_samples: take customized_samples and customized_probabilities [N, num_true + num_samples].
    Returns:
        [N, 1].
    """
    if use_customized_samples and (customized_samples is None or customized_probabilities is None):
        raise ArgumentError(
            "sampled_softmax_with_cross_entropy: use_customized_samples=True needs customized_samples and "
            "customized_probabilities"
        )
    layer = LayerName("sample_logits")
    names = [layer.tmp() for _ in range(9)]  # Fluid numbers them before it calls the operators
    *_, sampled, places = registry.get("sample_logits")(
        logits, label, customized_samples, customized_probabilities,
        name=FixedNames(*(names[i] for i in (0, 1, 5, 6, 2, 3))),
        use_customized_samples=use_customized_samples, uniq=True, remove_accidental_hits=remove_accidental_hits,
        num_samples=num_samples, seed=seed,
    )  # fmt: skip
    truth = one_hot(places, name=FixedNames(names[4]), depth=num_samples + 1)
    _, loss = softmax_with_cross_entropy(
        sampled, truth, name=FixedNames(names[8], names[7]), soft_label=True, ignore_index=0, numeric_stable_mode=False
    )
    return loss / num_true
