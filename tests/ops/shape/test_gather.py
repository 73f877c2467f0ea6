"""The gradient of a row that was gathered twice."""

import torch

from refluid.ops import registry

INDEX, OUT_GRAD = torch.tensor([1, 0, 1]), torch.tensor([[1.0], [2.0], [4.0]])


def gradient(overwrite: bool) -> list[float]:
    grad = registry.get("gather_grad").kernel(torch.Size([3, 1]), INDEX, OUT_GRAD, overwrite=overwrite)
    return grad.reshape(-1).tolist()


def test_it_is_that_of_the_last_place_as_in_fluid() -> None:
    assert gradient(overwrite=True) == [2.0, 4.0, 0.0]


def test_it_is_the_sum_when_not_overwriting() -> None:
    assert gradient(overwrite=False) == [2.0, 5.0, 0.0]
