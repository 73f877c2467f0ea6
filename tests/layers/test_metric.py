import numpy as np
import pytest
from tests.layers.modes import both, declare, ragged, run

from refluid.core.errors import ArgumentError, DtypeError
from refluid.layers.creation import fill_constant
from refluid.layers.metric import accuracy, auc, edit_distance, mean_iou

SCORES = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]], "float32")
LABEL = np.array([[0], [1], [1], [0]], "int64")


def test_accuracy_counts_into_given_variables():
    def build(scores, label):
        correct, total = (fill_constant([1], "int32", 0) for _ in range(2))
        return [accuracy(scores, label, correct=correct, total=total), correct, total, accuracy(scores, label, k=2)]

    share, correct, total, both_best = both(build, scores=SCORES, label=LABEL)
    assert (share.tolist(), correct.tolist(), total.tolist(), both_best.tolist()) == ([0.5], [2], [4], [1.0])


def test_auc_is_that_of_all_batches_and_of_the_last_one():
    scores, label = declare(scores=SCORES, label=LABEL)
    overall, recent, states = auc(scores, label, num_thresholds=100)
    assert [v.name for v in (overall, recent, *states)] == [
        "auc_0.tmp_0", "auc_0.tmp_1", "_generated_var_0", "_generated_var_1", "_generated_var_2", "_generated_var_3"
    ]  # fmt: skip
    values = [np.array(v) for v in run([overall, recent, states[2], states[3]], runs=3, scores=SCORES, label=LABEL)]
    assert values[0] == pytest.approx(0.75) and values[1] == pytest.approx(0.75)
    assert values[2].sum() == 6 and values[3].sum() == 6  # positives and negatives of three batches


def test_auc_in_the_imperative_mode_and_as_a_precision_curve():
    overall, recent, *_ = both(lambda scores, label: auc(scores, label, "PR", 50, slide_steps=0)[:2], scores=SCORES,
                               label=LABEL)  # fmt: skip
    assert overall == recent and 0.5 < overall < 1


def test_mean_iou_and_edit_distance():
    iou, wrong, right = both(lambda a, b: mean_iou(a, b, 2), a=LABEL, b=(SCORES[:, 1:] > 0.5).astype("int64"))
    assert iou == pytest.approx(1 / 3) and wrong.tolist() == [2, 2] and right.tolist() == [1, 1]
    distance, count = both(
        lambda a, b: edit_distance(a, b, normalized=False, ignored_tokens=[9]),
        a=ragged([[1], [2], [9], [4]], [3, 1], "int64"), b=ragged([[1], [3], [4]], [2, 1], "int64"),
    )  # fmt: skip
    assert distance.tolist() == [[1], [0]] and count.tolist() == [2]


def test_refusals():
    scores, label = declare(scores=SCORES, label=LABEL)
    with pytest.warns(UserWarning, match="curve is .ROC. or .PR., got .F1., which is taken for .ROC."):
        auc(scores, label, curve="F1")
    with pytest.raises(ArgumentError, match="auc: slide_steps must be an int of 0 or more, got -1"):
        auc(scores, label, slide_steps=-1)
    with pytest.raises(DtypeError, match="mean_iou: Predictions must be int32 or int64, got float32"):
        mean_iou(scores, label, 2)
    with pytest.raises(ArgumentError, match="edit_distance: input_length and label_length go together"):
        edit_distance(label, label, input_length=label)
