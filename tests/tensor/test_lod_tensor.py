import copy
import pickle

import numpy as np
import pytest
import torch

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, NotFoundError, ShapeError
from refluid.core.places import CPUPlace
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor

CPU = CPUPlace()


def tensor(array, lod=None) -> LoDTensor:
    t = LoDTensor()
    t.set(array, CPU)
    if lod is not None:
        t.set_lod(lod)
    return t


@pytest.mark.parametrize(
    "name, var_type",
    [
        ("bool", VarType.BOOL),
        ("int8", VarType.INT8),
        ("uint8", VarType.UINT8),
        ("int16", VarType.INT16),
        ("int32", VarType.INT32),
        ("int64", VarType.INT64),
        ("float16", VarType.FP16),
        ("float32", VarType.FP32),
        ("float64", VarType.FP64),
    ],
)
def test_set_keeps_the_dtype_of_an_array(name, var_type):
    t = tensor(np.ones((2, 3), name))
    assert np.array(t).dtype == name and t._dtype() == var_type
    assert t.shape() == [2, 3] and t._place() == CPU


def test_set_takes_lists_as_numpy_does():
    assert np.array(tensor([[1, 2], [3, 4]])).dtype == np.int64
    assert np.array(tensor([[1.0, 2], [3, 4]])).dtype == np.float64
    assert tensor(3).shape() == []


def test_uint16_data_are_the_bits_of_float16():
    halves = np.array([1.5, -2], "float16")
    assert np.array_equal(np.array(tensor(halves.view("uint16"))), halves)


def test_set_copies_unless_asked_to_share():
    array = np.zeros((2, 2), "float32")
    copied, shared = tensor(array), LoDTensor()
    shared.set(array, CPU, zero_copy=True)
    array[0, 0] = 9
    assert np.array(copied)[0, 0] == 0 and np.array(shared)[0, 0] == 9


def test_set_takes_torch_tensors_and_arrays_of_any_layout():
    source = torch.arange(6.0, requires_grad=True)
    t = tensor(source)
    assert t.t is not source and not t.t.requires_grad and np.array_equal(np.array(t), np.arange(6.0))
    whole = np.arange(12, dtype="float32").reshape(3, 4)
    for array in (whole[::-1], whole.T, whole[:, ::2], whole.astype(">f4"), np.broadcast_to(whole[0], (3, 4))):
        assert np.array_equal(np.array(tensor(array)), array)
        shared = LoDTensor()
        shared.set(array, CPU, zero_copy=True)
        assert np.array_equal(np.array(shared), array)


def test_set_refuses_what_is_no_tensor():
    with pytest.raises(ShapeError, match="must all have the same length, got \\[\\[1, 2\\], \\[3\\]\\]"):
        tensor([[1, 2], [3]])
    with pytest.raises(DtypeError, match="must be one of bool, .* got object of"):
        tensor(np.array([1, None], dtype=object))
    with pytest.raises(DtypeError, match="got complex64"):
        tensor(np.ones(2, "complex64"))
    with pytest.raises(DtypeError, match="got uint32"):
        tensor(np.ones(2, "uint32"))
    with pytest.raises(TypeError, match="bfloat16"):
        tensor(torch.ones(2, dtype=torch.bfloat16))
    with pytest.raises(EnforceNotMet, match="place must be CPUPlace"):
        LoDTensor().set([1], 0)


def test_numpy_gets_a_c_contiguous_copy_of_its_own():
    t = LoDTensor.of(torch.arange(24.0).reshape(1, 2, 3, 4).contiguous(memory_format=torch.channels_last))
    array = np.array(t)
    assert array.flags.c_contiguous and array.tolist() == t.t.tolist()
    dense = tensor(np.zeros(3, "float32"))
    np.asarray(dense)[0] = 1
    assert np.array(dense)[0] == 0
    assert np.array(dense, dtype="int32").dtype == np.int32
    assert np.asarray(tensor(3)).shape == ()


def test_reading_before_anything_is_set_is_refused_in_words():
    t = LoDTensor()
    assert t.shape() == [0] and t.lod() == [] and not t._is_initialized()
    assert t.has_valid_recursive_sequence_lengths()
    assert np.array(t).shape == (0,)
    for read in (LoDTensor._dtype, LoDTensor._place, lambda t: t[0]):
        with pytest.raises(NotFoundError, match="holds no data yet"):
            read(t)
    assert repr(t) == "LoDTensor: no data, lod []"


def test_lod_is_set_as_offsets_or_as_lengths():
    t = tensor(np.zeros((6, 2)), [[0, 2, 6]])
    assert t.lod() == [[0, 2, 6]] and t.recursive_sequence_lengths() == [[2, 4]]
    t.set_recursive_sequence_lengths([[1, 1], [2, 4]])
    assert t.lod() == [[0, 1, 2], [0, 2, 6]] and t.lod_value == LoD([[0, 1, 2], [0, 2, 6]])
    t.set_lod(np.array([[0, 6]]))
    assert t.lod() == [[0, 6]] and type(t.lod()[0][1]) is int
    t.set_lod([])
    assert t.lod() == [] and t.lod_value is None


def test_the_constructor_takes_lengths():
    assert LoDTensor([[1, 2]]).lod() == [[0, 1, 3]]


def test_a_lod_that_does_not_fit_is_refused_and_the_old_one_stays():
    t = tensor(np.zeros((6, 2)), [[0, 2, 6]])
    with pytest.raises(ShapeError, match="ends at 5, but the tensor has 6 rows"):
        t.set_recursive_sequence_lengths([[2, 3]])
    with pytest.raises(ArgumentError, match="lod must be a list of lists of int, got \\[0, 6\\]"):
        t.set_lod([0, 6])
    assert t.lod() == [[0, 2, 6]]


def test_setting_other_data_keeps_the_lod_and_validity_tells():
    t = LoDTensor()
    t.set_lod([[0, 2, 6]])  # before the data: there is nothing to fit yet
    t.set(np.zeros((4, 2)), CPU)
    assert t.lod() == [[0, 2, 6]] and not t.has_valid_recursive_sequence_lengths()
    t.set(np.zeros((6, 2)), CPU)
    assert t.has_valid_recursive_sequence_lengths()


@pytest.mark.parametrize(
    "key, expected",
    [
        (0, np.s_[0:1]),
        (-1, np.s_[3:4]),
        ((0, 1), np.s_[0:1, 1:2]),
        ((slice(1, 3), 0), np.s_[1:3, 0:1]),
        (np.s_[:, 1:], np.s_[:, 1:]),
        (np.s_[::2], np.s_[::2]),
        (np.s_[::-1], np.s_[::-1]),
        (np.s_[3:1], np.s_[3:1]),
        (np.s_[1:9], np.s_[1:9]),
    ],
)
def test_an_index_takes_a_part_and_keeps_every_axis(key, expected):
    array = np.arange(24, dtype="float32").reshape(4, 3, 2)
    part = tensor(array, [[0, 1, 4]])[key]
    assert np.array_equal(np.array(part), array[expected])
    assert part.lod() == []


def test_a_part_is_a_copy_and_a_tensor_can_be_iterated():
    t = tensor(np.arange(4.0))
    part = t[0]
    t.t[0] = 9
    assert np.array(part).tolist() == [0]
    assert [np.array(row).tolist() for row in t] == [[9], [1], [2], [3]]


def test_an_index_out_of_range_or_of_another_kind_is_refused():
    t = tensor(np.zeros((4, 3)))
    for key, says in (
        (4, "index 4 is out of range for axis 0 of size 4"),
        ((0, -4), "index -4 is out of range for axis 1 of size 3"),
        ((0, 0, 0), "has 2 axes, got 3 indices"),
        ([0, 1], "indexed by int and slice, got \\[0, 1\\] for axis 0"),
    ):
        with pytest.raises(IndexError, match=says):
            t[key]


def test_printing_is_in_the_format_of_fluid():
    assert str(tensor(np.array([[1.5], [1e10], [1 / 3]], "float32"), [[0, 1, 3]])) == (
        "\tlod: {{0, 1, 3}}\n\tdim: 3, 1\n\tlayout: NCHW\n\tdtype: float\n\tdata: [1.5 1e+10 0.333333]\n"
    )
    assert str(tensor(np.array([True, False]))) == "\tlod: {}\n\tdim: 2\n\tlayout: NCHW\n\tdtype: bool\n\tdata: [1 0]\n"


def test_copies_share_nothing_and_shared_data_has_no_lod():
    t = tensor(np.arange(3.0), [[0, 1, 3]])
    shared = LoDTensor()._share_data_with(t)
    copies = [t._copy(CPU), copy.deepcopy(t), pickle.loads(pickle.dumps(t))]
    t.t[0] = 9
    assert np.array(shared)[0] == 9 and shared.lod() == []
    assert all(np.array(c)[0] == 0 and c.lod() == [[0, 1, 3]] for c in copies)
    t._clear()
    assert not t._is_initialized()
