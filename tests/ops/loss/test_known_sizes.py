"""An unknown size that has to be that of another input is known after all."""

import pytest
import torch

from refluid.core.errors import ShapeError
from refluid.ops import registry
from refluid.ops.infer import Spec, infer


def loss_of(logits, label):
    op = registry.get("softmax_with_cross_entropy")
    return infer(op, [Spec(logits, torch.float32), Spec(label, torch.int64)], op.complete_attrs({}))


def test_labels_of_unknown_number_fit_a_fixed_batch():
    softmax, loss = loss_of((12, 3), (-1, 1))
    assert (softmax.shape, loss.shape) == ((12, 3), (12, 1))


def test_what_fits_no_size_is_refused_as_before():
    with pytest.raises(ShapeError, match=r"Label must have shape \[12, 1\] to match Logits of shape \[12, 3\]"):
        loss_of((12, 3), (-1, 2))
