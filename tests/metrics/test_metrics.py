"""Metrics over many batches. The numbers are those of Fluid 1.8.5."""

import numpy as np
import pytest

from paddle.fluid import average, metrics

SAID = np.array([[0.1], [0.7], [0.8], [0.9], [0.2], [0.2], [0.3], [0.5], [0.8], [0.6]])
TRUE = np.array([[0], [1], [1], [1], [1], [0], [0], [0], [0], [0]])


def three_batches():
    rng = np.random.RandomState(7)
    for _ in range(3):
        yes = rng.rand(40).astype("float32")
        yield np.stack([1 - yes, yes], 1), rng.randint(0, 2, (40, 1))


def test_precision_is_the_share_of_right_among_the_said():
    metric = metrics.Precision()
    assert metric.eval() == 0.0
    metric.update(SAID, TRUE)
    assert metric.eval() == 0.6
    assert metric.get_config() == {"name": "Precision", "states": {"tp": 3, "fp": 2}}


def test_recall_is_the_share_of_the_true_that_is_found():
    metric = metrics.Recall("mine")
    metric.update(SAID, TRUE)
    metric.update(SAID, TRUE)
    assert (metric.eval(), metric.tp, metric.fn, str(metric)) == (0.75, 6, 2, "mine")
    metric.reset()
    assert (metric.eval(), metric.tp, metric.fn) == (0.0, 0, 0)


def test_accuracy_weighs_batches_by_their_sizes():
    metric = metrics.Accuracy()
    metric.update(0.5, 10)
    metric.update(np.array([0.7], "float32"), weight=20)
    assert metric.eval() == pytest.approx(19 / 30)
    assert metric.eval().dtype == np.float32
    metric.update(np.array([0.5]), np.array([3]))
    assert metric.eval() == pytest.approx(0.62121212)
    metric.reset()
    with pytest.raises(ValueError, match="Accuracy.eval: there is no data"):
        metric.eval()


def test_updating_leaves_the_fetched_arrays_alone():
    metric, value = metrics.Accuracy(), np.array([0.5])
    metric.update(value, 1)
    metric.update(value, 1)
    assert value == 0.5


def test_chunks_give_precision_recall_and_f1():
    metric = metrics.ChunkEvaluator()
    assert metric.eval() == (0, 0, 0)
    metric.update(np.array([10]), np.array([9]), np.array([5]))
    metric.update(3, 4, 2)
    assert metric.eval() == pytest.approx((7 / 13,) * 3)


def test_edit_distance_gives_the_mean_and_the_share_of_wrong_sequences():
    metric = metrics.EditDistance("distance")
    metric.update(np.array([[0.0], [2.0], [3.0]]), np.array([3]))
    metric.update(np.array([[0.5], [0.0]]), 2)
    assert metric.eval() == pytest.approx((1.1, 0.6))
    with pytest.raises(ValueError, match="EditDistance.eval: there is no data"):
        metrics.EditDistance("empty").eval()


@pytest.mark.parametrize(
    ("num_thresholds", "expected"), [(4095, 0.5477716727716727), (20, 0.5474664224664225), (1, 0.5)]
)
def test_auc_is_fluids(num_thresholds, expected):
    metric = metrics.Auc("auc", num_thresholds=num_thresholds)
    assert metric.eval() == 0.0
    for batch in three_batches():
        metric.update(*batch)
    assert metric.eval() == pytest.approx(expected, abs=1e-12)
    metric.reset()
    assert metric.eval() == 0.0


def test_auc_of_precision_over_recall():
    metric = metrics.Auc("auc", curve="PR")
    # From the surest down: right, wrong, right. Precision 1, 1/2, 2/3 at recalls 1/2, 1/2, 1; it begins with 1.
    metric.update(np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]), np.array([[1], [0], [1]]))
    assert metric.eval() == pytest.approx(0.5 + 0.5 * (1 / 2 + 2 / 3) / 2)


def test_a_composite_asks_all_its_metrics():
    both = metrics.CompositeMetric()
    both.add_metric(metrics.Precision())
    both.add_metric(metrics.Recall())
    both.update(np.array([[0.9], [0.2]]), np.array([[1], [1]]))
    assert both.eval() == [1.0, 0.5]
    both.reset()
    assert both.eval() == [0.0, 0.0]


def test_reset_of_ones_own_metric_goes_by_types():
    class Mine(metrics.MetricBase):
        def __init__(self):
            super().__init__(None)
            self.count, self.mean, self.rows, self.seen, self._kept = 3, 2.5, np.ones(2), [1], 5

    metric = Mine()
    states = metric.get_config()
    metric.reset()
    assert states["name"] == "Mine" and states["states"]["seen"] == [1] and "_kept" not in states["states"]
    assert (metric.count, metric.mean, metric.seen, metric._kept) == (0, 0.0, None, 5)
    assert metric.rows.tolist() == [0, 0]
    with pytest.raises(NotImplementedError, match="Mine has no update"):
        metric.update(1, 2)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: metrics.Precision().update([1], TRUE), "Precision.update: preds must be a numpy array, got list"),
        (lambda: metrics.Recall().update(SAID, TRUE[:2]), "preds has 10 elements, but labels has 2"),
        (lambda: metrics.Accuracy().update("x", 1), "Accuracy.update: value must be a number or a numpy array"),
        (lambda: metrics.Accuracy().update(0.5, -1), "weight must not be negative, got -1"),
        (lambda: metrics.ChunkEvaluator().update(1, "a", 1), "num_label_chunks must be a number"),
        (lambda: metrics.EditDistance("e").update([1.0], 1), "distances must be a numpy array"),
        (lambda: metrics.Auc("a").update(np.ones(2), np.ones(2)), r"preds must be \[N, 2\]"),
        (lambda: metrics.Auc("a").update(np.full((1, 2), 1.5), np.ones(1)), "probabilities from 0 to 1, got 1.5"),
        (lambda: metrics.CompositeMetric().add_metric(metrics.Auc), "metric must be a MetricBase"),
        (lambda: average.WeightedAverage().add([1], 1), "WeightedAverage.add: value must be a number"),
        (lambda: average.WeightedAverage().eval(), "there is nothing to average"),
    ],
)
def test_what_a_metric_cannot_take_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_weighted_average_of_numbers_and_of_arrays():
    mean = average.WeightedAverage()
    mean.add(2.0, 1)
    mean.add(np.array([4.0]), 2)
    assert mean.eval() == pytest.approx(10 / 3)
    mean.reset()
    mean.add(np.ones((2, 2)), 3)
    mean.add(np.zeros((2, 2)), np.array([1.0]))
    assert mean.eval().tolist() == [[0.75, 0.75], [0.75, 0.75]]
