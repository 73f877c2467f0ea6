"""Elements and memory of a LoDTensor, by the names that begin with an underscore."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import core
from refluid.core.errors import EnforceNotMet

PLACE = fluid.CPUPlace()


def tensor(values, dtype):
    made = core.LoDTensor()
    made.set(np.array(values, dtype), PLACE)
    return made


def test_single_elements_are_read_and_set():
    single, double = tensor([[1, 2], [3, 4]], "float32"), tensor([[1, 2], [3, 4]], "float64")
    single._set_float_element(2, 9.5)
    double._set_double_element(3, 7)
    assert single._get_float_element(2) == 9.5 and np.array(single).tolist() == [[1, 2], [9.5, 4]]
    assert double._get_double_element(3) == 7.0 and np.array(double).tolist() == [[1, 2], [3, 7]]


@pytest.mark.parametrize("made, offset", [(tensor([1], "float64"), 0), (tensor([1], "float32"), 1), (core.Tensor(), 0)])
def test_an_element_that_is_not_there_or_of_another_dtype_is_refused(made, offset):
    with pytest.raises(EnforceNotMet):
        made._get_float_element(offset)


def test_memory_is_made_for_a_shape():
    made = core.LoDTensor()
    made._set_dims([2, 3])
    assert made.shape() == [2, 3] and not made._is_initialized()
    made._alloc_float(PLACE)
    assert made._is_initialized() and made._dtype() == core.VarDesc.VarType.FP32
    made._alloc_int(PLACE)
    assert made.shape() == [2, 3] and made._dtype() == core.VarDesc.VarType.INT32
    assert made._mutable_data(PLACE, core.VarDesc.VarType.FP64) and made._dtype() == core.VarDesc.VarType.FP64


def test_a_shape_is_changed_over_the_same_elements():
    made = tensor(range(6), "float32")
    made._set_dims([2, 2])
    assert np.array(made).tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="a LoDTensor of 4 elements cannot have the shape"):
        made._set_dims([2, 5])


def test_a_cleared_tensor_forgets_its_data_and_not_its_shape():
    made = tensor(range(6), "float32")
    made._clear()
    assert made.shape() == [6] and not made._is_initialized()


def test_memory_is_shared_with_others():
    made, other = tensor(range(3), "float32"), core.LoDTensor()
    other._share_data_with(made)
    third = core.from_dlpack(made._to_dlpack())
    made._set_float_element(0, 7.0)
    assert np.array(other)[0] == np.array(third)[0] == 7.0


def test_a_variable_of_a_scope_makes_what_it_is_asked_for():
    scope = core.Scope()
    assert scope.var("a").get_bytes() == b"" and list(scope.var("b").get_fetch_list()) == []
    assert scope.var("c").get_lod_rank_table().order == []
    with pytest.raises(EnforceNotMet, match="variable 'd' holds no reader"):
        scope.var("d").get_reader()
