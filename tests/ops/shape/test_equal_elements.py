"""top_k of equal elements: the first come first, as in Fluid where all are equal."""

import torch

from refluid.ops.shape.top_k import top_k


def test_the_first_of_equal_elements_are_taken():
    values, places = top_k.kernel(torch.zeros(2, 5), k=3)
    assert values.tolist() == [[0, 0, 0]] * 2
    assert places.tolist() == [[0, 1, 2]] * 2


def test_equal_elements_behind_a_larger_one_are_taken_in_order():
    _, places = top_k.kernel(torch.tensor([1.0, 3.0, 1.0, 1.0, 0.0]), k=3)
    assert places.tolist() == [1, 0, 2]
