"""The batch size of a tensor with a LoD is its number of sequences."""

import numpy as np
import torch

from refluid.ops import registry
from refluid.ops.infer import Spec, infer
from refluid.tensor.lod import LoD


def test_fill_constant_batch_size_like_counts_sequences() -> None:
    op = registry.get("fill_constant_batch_size_like")
    out = op.kernel(torch.zeros(3, 4), LoD.from_lengths([[2, 1]]), shape=[-1, 7], value=1.5)
    assert np.array_equal(out.numpy(), np.full((2, 7), 1.5, "float32"))


def test_the_number_of_sequences_is_unknown_before_the_run() -> None:
    op = registry.get("fill_constant_batch_size_like")
    attrs = op.complete_attrs({"shape": [-1, 7]})
    assert infer(op, [Spec((3, 4), torch.float32, lod_level=1)], attrs)[0].shape == (-1, 7)
    assert infer(op, [Spec((3, 4), torch.float32)], attrs)[0].shape == (3, 7)
