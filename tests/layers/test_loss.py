import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, run, weights

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, ValueRangeError
from refluid.eager import base as imperative
from refluid.ir.program import default_main_program
from refluid.layers import loss as losses, ranking_loss as ranking, sampled_loss as sampled
from refluid.layers.data import data
from refluid.layers.fc import fc
from refluid.layers.reduce import mean
from refluid.optim.sgd import SGD
from refluid.params.initializer import Constant

LOGITS = np.random.RandomState(0).randn(4, 5).astype("float32")
PROBABILITIES = np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True)
LABEL = np.array([[1], [0], [4], [2]], "int64")
PICKED = np.take_along_axis(PROBABILITIES, LABEL, 1)


def test_cross_entropy_of_labels_and_of_probabilities():
    hard, soft, logits, softmax = both(
        lambda p, x, label: [
            losses.cross_entropy(p, label),
            losses.cross_entropy(p, p, soft_label=True),
            *losses.softmax_with_cross_entropy(x, label, return_softmax=True),
        ],
        p=PROBABILITIES, x=LOGITS, label=LABEL,
    )  # fmt: skip
    np.testing.assert_allclose(hard, -np.log(PICKED), rtol=1e-5)
    np.testing.assert_allclose(logits, hard, rtol=1e-5)
    np.testing.assert_allclose(soft[:, 0], -(PROBABILITIES * np.log(PROBABILITIES)).sum(1), rtol=1e-5)
    np.testing.assert_allclose(softmax, PROBABILITIES, rtol=1e-5)


def test_operators_and_names_are_those_that_fluid_chooses():
    p, label = declare(p=PROBABILITIES, label=LABEL)
    losses.cross_entropy(p, label)
    losses.cross_entropy(p, p, soft_label=True)
    losses.square_error_cost(p, p)
    assert operators() == [
        "cross_entropy2: p label -> cross_entropy2_0.tmp_0 cross_entropy2_0.tmp_1 cross_entropy2_0.tmp_2",
        "cross_entropy: p p -> cross_entropy_0.tmp_0",
        "elementwise_sub: p p -> square_error_cost_0.tmp_0",
        "square: square_error_cost_0.tmp_0 -> square_error_cost_0.tmp_1",
    ]


def test_losses_of_numbers_in_both_modes():
    x, y = LOGITS, LOGITS[::-1].copy()
    d = x - y
    squares, mse, smooth, huber, logistic = both(
        lambda x, y: [
            losses.square_error_cost(x, y),
            losses.mse_loss(x, y),
            losses.smooth_l1(x, y),
            losses.huber_loss(x, y, delta=1.0),
            losses.sigmoid_cross_entropy_with_logits(x, y),
        ],
        x=x, y=y,
    )  # fmt: skip
    near = np.where(np.abs(d) < 1, 0.5 * d**2, np.abs(d) - 0.5)
    np.testing.assert_allclose(squares, d**2, rtol=1e-5)
    np.testing.assert_allclose(mse, [(d**2).mean()], rtol=1e-5)
    np.testing.assert_allclose(smooth[:, 0], near.sum(1), rtol=1e-5)
    np.testing.assert_allclose(huber, near, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(logistic, np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x))), rtol=1e-4, atol=1e-6)


def test_losses_of_order_in_both_modes():
    left, right, truth = (np.array(v, "float32").reshape(-1, 1) for v in ([1, 2, 3], [2, 2, 0], [1, 0, 1]))
    rank, margin, bpr, dice = both(
        lambda left, right, truth, p, label: [
            ranking.rank_loss(truth, left, right),
            ranking.margin_rank_loss(truth, left, right, margin=0.5),
            ranking.bpr_loss(p, label),
            ranking.dice_loss(p, label),
        ],
        left=left, right=right, truth=truth, p=PROBABILITIES, label=LABEL,
    )  # fmt: skip
    np.testing.assert_allclose(rank, np.log1p(np.exp(left - right)) - truth * (left - right), rtol=1e-5)
    np.testing.assert_allclose(margin, np.maximum(0, 0.5 - truth * (left - right)), rtol=1e-5)
    assert bpr.shape == (4, 1)
    np.testing.assert_allclose(dice, [(1 - 2 * PICKED[:, 0] / (2 + 1e-5)).mean()], rtol=1e-5)


def test_pairs_of_one_label_are_drawn_together():
    anchor, positive = (data(name, [4, 5], append_batch_size=False) for name in ("anchor", "positive"))
    labels = data("labels", [4], append_batch_size=False)
    out = ranking.npair_loss(anchor, positive, labels, l2_reg=0.0)
    inputs = {"anchor": LOGITS, "labels": np.arange(4).astype("float32")}
    near, far = (np.array(run([out], positive=p, **inputs)[0]) for p in (LOGITS * 20, -LOGITS))
    assert near.shape == (1,) and near < 0.1 < far


def test_centers_follow_the_samples():
    x, label = declare(x=LOGITS, label=LABEL)
    out = mean(ranking.center_loss(x, label, 5, alpha=0.5, param_attr=Constant(0.0)))
    first, second = (np.array(run([out], runs, x=LOGITS, label=LABEL)[0]) for runs in (1, 2))
    np.testing.assert_allclose(first, [0.5 * (LOGITS**2).sum(1).mean()], rtol=1e-5)
    assert second < first


@pytest.mark.parametrize("kind", ["hsigmoid", "nce", "custom nce", "sampled softmax"])
def test_losses_of_many_classes_fall(kind):
    x, label = declare(x=LOGITS, label=LABEL)
    if kind == "hsigmoid":
        cost = sampled.hsigmoid(x, label, 6, param_attr=weights())
    elif kind == "nce":
        cost = sampled.nce(x, label, 6, num_neg_samples=3, param_attr=weights(), seed=1)
    elif kind == "custom nce":
        cost = sampled.nce(x, label, 6, sampler="custom_dist", custom_dist=[0.1, 0.2, 0.3, 0.2, 0.1, 0.1], seed=1)
    else:
        cost = sampled.sampled_softmax_with_cross_entropy(fc(x, 9, param_attr=weights()), label, 3, seed=1)
    assert cost.shape == (-1, 1)
    out = mean(cost)
    SGD(2.0).minimize(out)
    first, last = (np.array(run([out], runs, x=LOGITS, label=LABEL)[0]) for runs in (1, 12))
    assert last < 0.85 * first
    assert all(p.trainable for p in default_main_program().all_parameters() if not p.stop_gradient)


def test_probabilities_drawn_by_alias_are_the_given_ones():
    alias, share = sampled._alias_table([0.5, 0.125, 0.25, 0.125])
    drawn = [s / 4 for s in share]
    for i, other in enumerate(alias):
        if other >= 0:
            drawn[other] += (1 - share[i]) / 4
    np.testing.assert_allclose(drawn, [0.5, 0.125, 0.25, 0.125])


def test_a_label_out_of_range_is_told_in_both_modes():
    wrong = np.array([[1], [0], [5], [2]], "int64")
    p, label = declare(p=PROBABILITIES, label=LABEL)
    with pytest.raises(ValueRangeError, match="cross_entropy2: "):
        run([losses.cross_entropy(p, label)], p=PROBABILITIES, label=wrong)
    with imperative.guard(), pytest.raises(ValueRangeError, match="cross_entropy2: "):
        losses.cross_entropy(imperative.to_variable(PROBABILITIES), imperative.to_variable(wrong))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda x, label: losses.kldiv_loss(x, x, "max"), "kldiv_loss: reduction must be 'none', 'mean', 'sum' or"),
        (lambda x, label: losses.label_smooth(x, epsilon=2.0), r"label_smooth: epsilon must lie in \[0, 1\], got 2"),
        (lambda x, label: sampled.nce(x, label, 6, sampler="zipf"), "nce: sampler must be 'uniform', 'log_uniform' or"),
        (
            lambda x, label: sampled.nce(x, label, 6, sampler="custom_dist"),
            "nce: sampler='custom_dist' needs custom_dist",
        ),
        (lambda x, label: sampled.hsigmoid(x, label, 1), "hsigmoid: num_classes must be 2 or more, got 1"),
        (
            lambda x, label: sampled.hsigmoid(x, label, 6, is_custom=True),
            "is_custom=True needs path_table and path_code",
        ),
    ],
)
def test_refusals(call, says):
    with pytest.raises(ArgumentError, match=says):
        call(*declare(x=LOGITS, label=LABEL))


def test_a_size_that_only_one_input_knows_is_that_of_the_other():
    logits = data("logits", [-1, -1, 6], append_batch_size=False)
    label = data("label", [-1, 4, 1], append_batch_size=False, dtype="int64")
    assert losses.softmax_with_cross_entropy(logits, label).shape == (-1, 4, 1)


def test_smoothed_labels_pass_gradients_on_in_the_imperative_mode_alone():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.ones([2, 3], "float32"))
        x.stop_gradient = False
        fluid.layers.reduce_sum(fluid.layers.label_smooth(x * 2, epsilon=0.1)).backward()
        np.testing.assert_allclose(x.gradient(), np.full([2, 3], 1.8), rtol=1e-6)
    label = fluid.data("label", [2, 3])
    label.stop_gradient = False
    fluid.layers.label_smooth(label)
    assert label.stop_gradient
