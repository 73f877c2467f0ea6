"""Metrics of a batch: accuracy, auc, mean_iou, edit_distance, chunk_eval."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.warn import warn_once
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable
from refluid.ops import registry
from refluid.ops.metric.accuracy import accuracy as accuracy_op
from refluid.ops.metric.auc import auc as auc_op
from refluid.ops.shape.top_k import top_k
from refluid.params.state import make_state


def accuracy(
    input: BaseVariable,
    label: BaseVariable,
    k: int = 1,
    correct: BaseVariable | None = None,
    total: BaseVariable | None = None,
) -> BaseVariable:
    """The fraction of samples whose label is among the k highest scores.

    Args:
        input: float scores [N, classes].
        label: int64 [N, 1].
        k: how many classes count as predicted.
        correct: the int32 variable [1] that takes the number of correct samples; None for none.
        total: the int32 variable [1] that takes the number of samples; None for none.

    Returns:
        A float32 variable [1].

    Example:
        >>> with fluid.dygraph.guard():
        ...     scores = fluid.dygraph.to_variable(np.array([[0.9, 0.1], [0.8, 0.2]], "float32"))
        ...     label = fluid.dygraph.to_variable(np.array([[0], [1]]))
        ...     fluid.layers.accuracy(scores, label).numpy()
        array([0.5], dtype=float32)
    """
    best, indices = top_k(input, k=k)
    outs = {"Correct": correct, "Total": total}
    best.stop_gradient = indices.stop_gradient = True
    fraction, _, _ = accuracy_op(
        best, indices, label, outs={slot: var for slot, var in outs.items() if var is not None}
    )
    return fraction


def auc(
    input: BaseVariable,
    label: BaseVariable,
    curve: str = "ROC",
    num_thresholds: int = 4095,
    topk: int = 1,
    slide_steps: int = 1,
) -> tuple[BaseVariable, BaseVariable, list[BaseVariable]]:
    """The area under the curve of a binary classifier, over all batches and over the last ones.

    Args:
        input: float probabilities [N, 2]; the last column is that of the positive class.
        label: int64 [N, 1], 0 or 1.
        curve: "ROC" or "PR" (precision and recall).
        num_thresholds: the number of thresholds that the curve is approximated with.
        topk: accepted; no effect.
        slide_steps: the number of batches of the second area; 0 for all.

    Returns:
        (area over all batches [1], area over the last batches [1], [the four variables with the counts]).

    Example:
        >>> p, label = fluid.data("p", [None, 2]), fluid.data("label", [None, 1], "int64")
        >>> overall, recent, counts = fluid.layers.auc(p, label)
        >>> overall.shape
        (1,)
    """
    if curve not in ("ROC", "PR"):
        warn_once(f"auc: curve is 'ROC' or 'PR', got {curve!r}, which is taken for 'ROC'")
    if not isinstance(slide_steps, Integral) or slide_steps < 0:
        raise ArgumentError(f"auc: slide_steps must be an int of 0 or more, got {slide_steps!r}")
    layer = LayerName("auc")
    overall, recent = layer.reserve(), layer.reserve()
    window = [(slide_steps + 1) * (num_thresholds + 1) + 1] if slide_steps else [1, num_thresholds + 1]
    recent_counts = [make_state(window, "int64") for _ in range(2)]
    counts = [make_state([1, num_thresholds + 1], "int64") for _ in range(2)]
    settings = {"curve": curve, "num_thresholds": num_thresholds}
    last, _, _ = auc_op(
        input, label, *recent_counts, name=recent, slide_steps=slide_steps, **settings,
        outs={"StatPosOut": recent_counts[0], "StatNegOut": recent_counts[1]},
    )  # fmt: skip
    area, _, _ = auc_op(
        input, label, *counts, name=overall, slide_steps=0, **settings,
        outs={"StatPosOut": counts[0], "StatNegOut": counts[1]},
    )  # fmt: skip
    return area, last, [*recent_counts, *counts]


def mean_iou(
    input: BaseVariable, label: BaseVariable, num_classes: int
) -> tuple[BaseVariable, BaseVariable, BaseVariable]:
    """The mean over the classes of TP / (TP + FP + FN): intersection over union.

    Args:
        input: predicted classes, int32 or int64 of any shape.
        label: true classes, of the shape and dtype of input.
        num_classes: the number of classes.

    Returns:
        (the mean, float32 [1]; the counts of wrong and of correct elements, int32 [num_classes] each).
    """
    need_variable("mean_iou: input", input)
    return registry.get("mean_iou")(input, label, num_classes=num_classes)


def edit_distance(
    input: BaseVariable,
    label: BaseVariable,
    normalized: bool = True,
    ignored_tokens: Sequence[int] | None = None,
    input_length: BaseVariable | None = None,
    label_length: BaseVariable | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """The Levenshtein distance of sequences: how many insertions, deletions and substitutions turn input into label.

    Args:
        input: an int64 LoDTensor [total length, 1], or dense [N, length] with input_length.
        label: an int64 LoDTensor [total length, 1], or dense [N, length] with label_length.
        normalized: divide by the length of the label.
        ignored_tokens: ids that are removed first; for LoDTensors.
        input_length: int64 [N]; None for LoDTensors.
        label_length: int64 [N]; None for LoDTensors.

    Returns:
        (the distances, float32 [N, 1]; the number of sequences, int64 [1]).
    """
    if (input_length is None) != (label_length is None):
        raise ArgumentError("edit_distance: input_length and label_length go together")
    layer = LayerName("edit_distance")
    if ignored_tokens:
        erase = registry.get("sequence_erase")
        input, label = (erase(ids, name=layer, tokens=list(ignored_tokens)) for ids in (input, label))
    count, distance = registry.get("edit_distance")(
        input, label, input_length, label_length, name=layer, normalized=normalized
    )
    return distance, count


def chunk_eval(
    input: BaseVariable,
    label: BaseVariable,
    chunk_scheme: str,
    num_chunk_types: int,
    excluded_chunk_types: Sequence[int] | None = None,
    seq_length: BaseVariable | None = None,
) -> tuple[BaseVariable, ...]:
    """Precision, recall and F1 of the chunks in tag sequences, such as named entities.

    Args:
        input: predicted tags, an int64 LoDTensor [total length, 1], or dense [N, length] with seq_length.
        label: true tags, of the dtype and shape of input.
        chunk_scheme: "IOB", "IOE", "IOBES" or "plain".
        num_chunk_types: the number of chunk types.
        excluded_chunk_types: types that are not counted.
        seq_length: int64 [N]; None for LoDTensors.

    Returns:
        (precision, recall, F1, number of predicted chunks, of true chunks, of correct chunks), each [1].

    Example:
        >>> tags = fluid.data("tags", [None, 1], "int64", lod_level=1)
        >>> truth = fluid.data("truth", [None, 1], "int64", lod_level=1)
        >>> len(fluid.layers.chunk_eval(tags, truth, "IOB", num_chunk_types=3))
        6
    """
    return registry.get("chunk_eval")(
        input, label, seq_length, name=LayerName("chunk_eval"), num_chunk_types=num_chunk_types,
        chunk_scheme=chunk_scheme, excluded_chunk_types=list(excluded_chunk_types or []),
    )  # fmt: skip
