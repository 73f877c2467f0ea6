"""paddle.metric."""

import numpy as np
import pytest
from tests.layers.modes import both

import paddle
import paddle.metric
from refluid.core.errors import ArgumentError, ShapeError


def test_accuracy_of_many_batches():
    metric = paddle.metric.Accuracy()
    metric.update(0.5, 10)
    metric.update(np.array([1.0], "float32"), 30)
    assert metric.eval() == pytest.approx(0.875)
    metric.reset()
    metric.update(1.0, 1)
    assert metric.eval() == 1.0
    assert str(paddle.metric.Accuracy("mine")) == str(paddle.metric.Accuracy(name="mine")) == "mine"


def test_accuracies_among_the_best():
    metric = paddle.metric.Accuracy(topk=(1, 5))
    metric.update([0.5, 1.0], 2)
    metric.update([0.0, 0.5], 2)
    assert metric.eval() == [0.25, 0.75]
    with pytest.raises(ShapeError, match="topk has 2 numbers, but value has 1"):
        metric.update(0.5, 1)
    with pytest.raises(ArgumentError, match="Accuracy: topk must be a positive int, got 0"):
        paddle.metric.Accuracy(topk=(0,))
    with pytest.raises(TypeError, match="got also"):
        paddle.metric.Accuracy(best=3)


def test_accuracy_of_a_batch():
    scores, labels = np.array([[0.1, 0.9], [0.8, 0.2]], "float32"), np.array([[1], [1]])
    (found,) = both(lambda x, y: paddle.metric.accuracy(x, y), x=scores, y=labels)
    assert found.tolist() == [0.5]


def test_chunks_of_padded_sequences():
    # IOB with one type: 0 begins a chunk, 1 goes on with it, 2 is outside.
    label = np.array([[0, 1, 2, 0], [0, 2, 2, 2]])
    said = np.array([[0, 1, 2, 2], [0, 1, 2, 2]])
    found = both(
        lambda x, y, n: list(paddle.metric.chunk_eval(x, y, "IOB", 1, seq_length=n)),
        x=said, y=label, n=np.array([4, 2]),
    )  # fmt: skip
    assert [one.item() for one in found] == pytest.approx([0.5, 1 / 3, 0.4, 2, 3, 1])
