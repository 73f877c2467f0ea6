"""Metrics of a batch: accuracy, auc, mean_iou, edit_distance, chunk_eval."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.warn import warn_once
from refluid.layers.numbers import need_variable
from refluid.ops import registry
from refluid.ops.metric.accuracy import accuracy as accuracy_op
from refluid.ops.metric.auc import auc as auc_op
from refluid.ops.shape.top_k import top_k
from refluid.params.state import make_state


def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None) -> Any:
    """The share of samples whose label is among the k best classes.

    Args:
        input: scores [N, classes]; label: int64 [N, 1].
        correct, total: variables that get the number of right samples and of all.
    Returns:
        [1].
    """
    best, indices = top_k(input, k=k)
    outs = {"Correct": correct, "Total": total}
    best.stop_gradient = indices.stop_gradient = True
    share, _, _ = accuracy_op(best, indices, label, outs={slot: var for slot, var in outs.items() if var is not None})
    return share


def auc(
    input: Any, label: Any, curve: str = "ROC", num_thresholds: int = 4095, topk: int = 1, slide_steps: int = 1
) -> Any:
    """The area under the curve of a yes-or-no classifier, of all batches and of the last ones.

    Args:
        input: probabilities [N, 2]; the last column is the one of yes. label: int64 [N, 1].
        curve: "ROC" or "PR".
        num_thresholds: how finely probabilities are told apart.
        slide_steps: how many of the last batches the second area covers; 0 for all.
    Returns:
        (area over all batches [1], area over the last batches [1], [the four variables that hold the counts]).
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


def mean_iou(input: Any, label: Any, num_classes: int) -> Any:
    """Intersection over union of predicted and true regions, averaged over the classes.

    Args:
        input, label: class numbers of one shape.
    Returns:
        (the mean [1], wrong elements per class, right elements per class).
    """
    need_variable("mean_iou: input", input)
    return registry.get("mean_iou")(input, label, num_classes=num_classes)


def edit_distance(
    input: Any,
    label: Any,
    normalized: bool = True,
    ignored_tokens: list[int] | None = None,
    input_length: Any = None,
    label_length: Any = None,
) -> Any:
    """How many insertions, deletions and changes turn each sequence of input into that of label.

    Args:
        input, label: int64 LoDTensors [total length, 1], or dense [N, length] with their lengths [N].
        normalized: divide by the length of the label.
        ignored_tokens: these are taken out first; for LoDTensors.
    Returns:
        (the distances [N, 1], the number of sequences [1]).
    """
    if (input_length is None) != (label_length is None):
        raise ArgumentError("edit_distance: input_length and label_length go together")
    layer = LayerName("edit_distance")
    if ignored_tokens:
        erase = registry.get("sequence_erase")
        input, label = (erase(one, name=layer, tokens=list(ignored_tokens)) for one in (input, label))
    count, distance = registry.get("edit_distance")(
        input, label, input_length, label_length, name=layer, normalized=normalized
    )
    return distance, count


def chunk_eval(
    input: Any,
    label: Any,
    chunk_scheme: str,
    num_chunk_types: int,
    excluded_chunk_types: list[int] | None = None,
    seq_length: Any = None,
) -> Any:
    """Precision and recall of the chunks that sequences of tags mark, such as named entities.

    Args:
        input, label: int64 LoDTensors [total length, 1], or dense [N, length] with seq_length [N].
        chunk_scheme: "IOB", "IOE", "IOBES" or "plain".
        num_chunk_types: how many kinds of chunks there are; excluded_chunk_types are not counted.
    Returns:
        (precision, recall, F1, number of chunks found, of chunks there are, of those found rightly), each [1].
    """
    return registry.get("chunk_eval")(
        input, label, seq_length, name=LayerName("chunk_eval"), num_chunk_types=num_chunk_types,
        chunk_scheme=chunk_scheme, excluded_chunk_types=list(excluded_chunk_types or []),
    )  # fmt: skip
