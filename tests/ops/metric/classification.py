"""Rows of accuracy, auc, precision_recall and mean_iou."""

import numpy as np
from tests.ops.cases import case, fixture, ints, rand, refuse

TOP = {"Out": rand(4, 2), "Indices": np.array([[0, 1], [1, 0], [2, 1], [1, 3]])}


def accuracy(Indices, Label):
    correct = (Indices == Label).any(1).sum()
    return np.array([correct / len(Label)], "float32"), [correct], [len(Label)]


case("accuracy", **TOP, Label=np.array([[0], [5], [2], [3]]), expect=accuracy)
case("accuracy", Out=rand(5, 1), Indices=ints(5, 1, high=2), Label=ints(5, 1, high=2), expect=accuracy)
case(
    "accuracy", Out=rand(2, 1), Indices=np.zeros((2, 1), "int64"), Label=np.array([[0], [1]], "int32"), expect=accuracy
)
refuse("accuracy", **TOP, Label=ints(4), says="Label must have shape [4, 1] to match Indices, got [4]")
refuse(
    "accuracy", Out=rand(4), Indices=ints(4), Label=ints(4, 1), says="Indices must have shape [N, k] as Out, got [4]"
)
fixture("accuracy")


def pairs(Predict, Label):
    """The share of pairs that are ranked rightly, which is the area under the ROC curve where no bucket has two."""
    p, positive = Predict[:, -1], Label[:, 0] != 0
    return np.mean([[(a > b) for b in p[~positive]] for a in p[positive]])


def counts(n=11):
    return {"StatPos": np.zeros((1, n), "int64"), "StatNeg": np.zeros((1, n), "int64"), "num_thresholds": n - 1}


SCORES = np.array([[0.05], [0.95], [0.35], [0.45], [0.75], [0.25]])
CLICKS = np.array([[0], [1], [1], [0], [1], [0]])
case("auc", Predict=SCORES, Label=CLICKS, **counts(), slide_steps=0, expect=pairs, batch="Predict Label")
case("auc", Predict=1 - SCORES, Label=CLICKS, **counts(), slide_steps=0, expect=pairs, batch="Predict Label")
case("auc", Predict=SCORES, Label=CLICKS * 0, **counts(), slide_steps=0, expect=np.zeros(1), batch="Predict Label")
case(
    "auc",  # precision 1, 1, 2/3, 3/4 at recall 1/3, 2/3, 2/3, 1
    Predict=SCORES,
    Label=CLICKS,
    **counts(),
    slide_steps=0,
    curve="PR",
    expect=np.array([(1 + 1 + (2 / 3 + 3 / 4) / 2) / 3]),
    batch="Predict Label",
)


def sliding(last, total, seen):
    """A state of 2 thresholds and 1 slide step: the counts of the last batch, of the sum, and the batches seen."""
    return np.array([*last, *total, seen])


case(
    "auc",
    Predict=np.array([[0.1, 0.9], [0.4, 0.6], [0.9, 0.1]]),
    Label=np.array([[1], [0], [0]]),
    StatPos=sliding([5, 0, 1], [5, 0, 1], 4),
    StatNeg=sliding([0, 2, 0], [0, 2, 0], 4),
    num_thresholds=2,
    slide_steps=1,
    expect=lambda: (np.array([0.75]), [0, 1, 0, 0, 1, 0, 5], [1, 1, 0, 1, 1, 0, 5]),
    batch="Predict Label",
)
refuse(
    "auc",
    Predict=SCORES + 1,
    Label=CLICKS,
    **counts(),
    slide_steps=0,
    says="Predict must hold probabilities from 0 to 1",
)
refuse(
    "auc",
    Predict=SCORES,
    Label=CLICKS[1:],
    **counts(),
    slide_steps=0,
    says="Predict has 6 rows, but Label has 5 elements",
)
refuse(
    "auc",
    Predict=SCORES,
    Label=CLICKS,
    **counts(),
    slide_steps=2,
    says="StatPos must have 34 elements for num_thresholds=10, slide_steps=2, got [1, 11]",
)
fixture("auc", skip={1: "1.8.5 gives the ROC curve whatever `curve` says"}, batch="Predict Label")

ANSWERS = {"Indices": np.array([[0], [1], [2], [1]], "int32"), "Labels": np.array([[0], [1], [1], [0]], "int32")}
STATES = np.array([[1.0, 0, 2, 1], [1, 1, 1, 1], [0, 1, 3, 0]])
METRICS = np.array([0.5, 2 / 3, 4 / 7, 0.5, 0.5, 0.5])
case(
    "precision_recall",
    MaxProbs=rand(4, 1),
    **ANSWERS,
    class_number=3,
    expect=lambda: (METRICS, METRICS, STATES),
)
case(
    "precision_recall",
    MaxProbs=rand(4, 1),
    **ANSWERS,
    Weights=np.full((4, 1), 2.0),
    StatesInfo=STATES,
    class_number=3,
    expect=lambda: (METRICS, METRICS, 3 * STATES),
    batch="MaxProbs Indices Labels Weights",
)
refuse(
    "precision_recall",
    MaxProbs=rand(1, 1),
    Indices=np.array([[0]]),
    Labels=np.array([[3]]),
    class_number=3,
    says="Labels holds 3 at row 0, but the metric has 3 classes",
)
fixture("precision_recall")


def iou(Predictions, Labels, num_classes, InMeanIou, InWrongs, InCorrects):
    classes = range(num_classes)
    correct = [((Labels == c) & (Predictions == c)).sum() for c in classes] + sum(
        InCorrects or [np.zeros(num_classes, int)]
    )
    wrong = [((Labels == c) != (Predictions == c)).sum() for c in classes] + sum(
        InWrongs or [np.zeros(num_classes, int)]
    )
    union = wrong + correct
    mean = np.mean([a / b for a, b in zip(correct, union) if b]) + sum(InMeanIou or [0])
    return np.array(mean, "float32").reshape(1), wrong, correct


CLASSES = {"Predictions": ints(8, high=3, dtype="int32"), "Labels": ints(8, high=3, dtype="int32")}
case("mean_iou", **CLASSES, num_classes=4, expect=iou)
case("mean_iou", Predictions=ints(2, 3, high=3), Labels=ints(2, 3, high=3), num_classes=4, expect=iou)
case(
    "mean_iou",
    **CLASSES,
    InWrongs=[ints(3, high=5, dtype="int32")],
    InCorrects=[ints(3, high=5, dtype="int32")],
    InMeanIou=[np.array([0.5], "float32")],
    num_classes=3,
    expect=iou,
    batch="Predictions Labels",
)
refuse("mean_iou", Predictions=ints(2, high=2), Labels=np.array([0, 4]), num_classes=4, says="Labels holds 4 at row 1")
refuse(
    "mean_iou",
    Predictions=ints(2),
    Labels=ints(3),
    num_classes=10,
    says="Predictions has shape [2], but Labels has [3]",
)
fixture("mean_iou")
