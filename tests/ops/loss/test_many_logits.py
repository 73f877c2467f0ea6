"""softmax_with_cross_entropy of so many logits that the logarithm of each is not taken."""

import numpy as np
import pytest
import torch

from refluid.ops.loss.softmax_with_cross_entropy import MANY, softmax_with_cross_entropy


def reference(logits, label, axis):
    logits = logits.astype(np.float64)
    shifted = np.maximum(logits - logits.max(axis, keepdims=True), -64)
    log_p = shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
    return np.exp(log_p), -np.take_along_axis(log_p, label, axis)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("shape, axis", [((9, 8000), -1), ((4, 2000, 9), 1)])
def test_loss_and_softmax_are_exact_at_every_scale(scale, shape, axis):
    rng = np.random.RandomState(0)
    logits = (rng.randn(*shape) * scale).astype(np.float32)
    label_shape = [1 if i == axis % len(shape) else n for i, n in enumerate(shape)]
    label = rng.randint(0, shape[axis], label_shape)
    assert logits.size >= MANY
    softmax, loss = softmax_with_cross_entropy.kernel(torch.from_numpy(logits), torch.from_numpy(label), axis=axis)
    wanted_softmax, wanted_loss = reference(logits, label, axis)
    np.testing.assert_allclose(softmax.numpy(), wanted_softmax, rtol=2e-5, atol=1e-7)
    np.testing.assert_allclose(loss.numpy(), wanted_loss, rtol=1e-6, atol=1e-5)


def test_a_label_that_is_impossible_costs_64_more_than_the_likeliest_and_an_ignored_one_nothing():
    logits = torch.zeros(3, MANY // 2)
    logits[0, 5] = -float("inf")
    label = torch.tensor([[5], [6], [-100]])
    _, loss = softmax_with_cross_entropy.kernel(logits, label)
    assert loss[0].item() == pytest.approx(64 + np.log(MANY // 2 - 1), rel=1e-6) and loss[2].item() == 0
    assert loss[1].item() == pytest.approx(np.log(MANY // 2), rel=1e-6)
