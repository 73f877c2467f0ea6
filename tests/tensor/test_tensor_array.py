import numpy as np
import pytest

from refluid.core.errors import DtypeError
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.tensor_array import LoDTensorArray


def test_an_array_is_a_list_of_lod_tensors():
    array, first, second = LoDTensorArray(), LoDTensor(), LoDTensor()
    array.append(first)
    assert len(array) == 1 and array[0] is first
    array[0] = second
    assert list(array) == [second]
    with pytest.raises(IndexError):
        array[1]


def test_moving_to_a_list_leaves_the_array_empty():
    first = LoDTensor()
    array = LoDTensorArray([first])
    assert array._move_to_list() == [first] and len(array) == 0


def test_anything_but_a_lod_tensor_is_refused():
    array = LoDTensorArray([LoDTensor()])
    for put in (
        lambda: array.append(np.ones(3)),
        lambda: array.extend([np.ones(3)]),
        lambda: array.insert(0, np.ones(3)),
        lambda: array.__setitem__(0, np.ones(3)),
        lambda: array.__setitem__(slice(0, 1), [np.ones(3)]),
        lambda: LoDTensorArray([np.ones(3)]),
    ):
        with pytest.raises(DtypeError, match="a LoDTensorArray holds LoDTensors, got ndarray"):
            put()
    assert len(array) == 1
