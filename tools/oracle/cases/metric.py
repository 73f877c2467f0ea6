"""Metrics that keep counts."""

import numpy as np

from cases.table import case, floats, ints, lod, longs, rand

positive = rand(6, 1, low=0.05, high=0.95)
predict = np.concatenate([1 - positive, positive], axis=1).astype("float32")
label = longs([0], [1], [1], [0], [1], [0])
counts = {"StatPos": np.zeros([1, 11], "int64"), "StatNeg": np.zeros([1, 11], "int64")}
for curve in ("ROC", "PR"):
    case(
        "auc",
        dict(counts, Predict=predict, Label=label),
        {"curve": curve, "num_thresholds": 10, "slide_steps": 0},
        "AUC StatPosOut StatNegOut",
    )
earlier = {"StatPos": ints(1, 11, high=4), "StatNeg": ints(1, 11, high=4)}
attrs = {"curve": "ROC", "num_thresholds": 10, "slide_steps": 0}
alias = {"StatPosOut": "StatPos", "StatNegOut": "StatNeg"}
case("auc", dict(earlier, Predict=predict, Label=label), attrs, "AUC StatPosOut StatNegOut", alias=alias)
# three blocks of counts (the two last batches and their sum) and the number of the batch
window = {"StatPos": np.zeros([3 * 11 + 1], "int64"), "StatNeg": np.zeros([3 * 11 + 1], "int64")}
sliding = {"curve": "ROC", "num_thresholds": 10, "slide_steps": 2}
case("auc", dict(window, Predict=predict, Label=label), sliding, "AUC StatPosOut StatNegOut", alias=alias)

indices = longs([1, 2], [0, 3], [4, 1], [2, 0])
case(
    "accuracy",
    {"Out": rand(4, 2), "Indices": indices, "Label": longs([1], [3], [0], [0])},
    {},
    "Accuracy Correct Total",
)
case(
    "mean_iou",
    {"Predictions": ints(8, high=3, dtype="int32"), "Labels": ints(8, high=3, dtype="int32")},
    {"num_classes": 4},
    "OutMeanIou OutWrong OutCorrect",
)
hyps = lod(longs([1], [2], [3], [4], [5], [2]), [4, 2])
refs = lod(longs([1], [3], [4], [6], [2]), [3, 2])
for normalized in (False, True):
    case("edit_distance", {"Hyps": hyps, "Refs": refs}, {"normalized": normalized}, "Out SequenceNum")
chunks = "Precision Recall F1-Score NumInferChunks NumLabelChunks NumCorrectChunks"
tags = {
    "Inference": lod(longs([0], [1], [4], [2], [3], [0]), [4, 2]),
    "Label": lod(longs([0], [1], [4], [2], [4], [0]), [4, 2]),
}
case("chunk_eval", tags, {"num_chunk_types": 2, "chunk_scheme": "IOB"}, chunks)
case("chunk_eval", tags, {"num_chunk_types": 2, "chunk_scheme": "IOB", "excluded_chunk_types": [1]}, chunks)
case("chunk_eval", tags, {"num_chunk_types": 4, "chunk_scheme": "plain"}, chunks)
case(
    "precision_recall",
    {"MaxProbs": rand(5, 1), "Indices": ints(5, 1, high=3, dtype="int32"), "Labels": ints(5, 1, high=3, dtype="int32")},
    {"class_number": 3},
    "BatchMetrics AccumMetrics AccumStatesInfo",
)
case(
    "positive_negative_pair",
    {
        "Score": rand(6, 1),
        "Label": floats([1], [0], [1], [0], [1], [2]),
        "QueryID": longs([0], [0], [0], [1], [1], [1]),
    },
    {"column": -1},
    "PositivePair NegativePair NeutralPair",
)
