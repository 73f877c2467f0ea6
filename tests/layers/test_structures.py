"""paddle.fluid.layers.utils and the checks of paddle.fluid.data_feeder: what programs of recurrent networks import."""

from collections import namedtuple

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.data_feeder import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from paddle.fluid.layers.utils import (
    assert_same_structure,
    convert_to_list,
    flatten,
    is_sequence,
    map_structure,
    pack_sequence_as,
)

Pair = namedtuple("Pair", "b a")


@pytest.mark.parametrize("nest", [{"b": 1, "a": [2, (3, None)]}, "ab", Pair(1, [2]), [], 5, ([1], {"k": (2,)})])
def test_what_is_flattened_can_be_packed_again(nest):
    assert pack_sequence_as(nest, flatten(nest)) == nest
    assert type(pack_sequence_as(nest, flatten(nest))) is type(nest)


def test_leaves_come_in_the_order_of_keys():
    assert flatten({"b": 1, "a": [2, (3, None)]}) == [2, 3, None, 1]
    assert pack_sequence_as({"b": 1, "a": [2, (3, 4)]}, [9, 8, 7, 6]) == {"b": 6, "a": [9, (8, 7)]}


def test_functions_are_mapped_over_structures():
    assert map_structure(lambda a, b: a + b, [1, (2, 3)], [10, (20, 30)]) == [11, (22, 33)]
    assert map_structure(lambda a: a * 2, {"k": 1}) == {"k": 2}
    assert map_structure(lambda a: a + 1, 4) == 5


def test_states_of_a_network_are_mapped():
    with fluid.dygraph.guard():
        states = [fluid.dygraph.to_variable(np.ones((2, 3), "float32")) for _ in range(2)]
        detached = map_structure(lambda x: x.detach(), (states[0], [states[1]]))
        assert [type(one) for one in (detached, detached[1])] == [tuple, list]
        assert detached[1][0].shape == [2, 3]


@pytest.mark.parametrize(("value", "answer"), [("a", False), ({}, True), ((1,), True), ([], True), (np.ones(2), False)])
def test_what_a_sequence_is(value, answer):
    assert is_sequence(value) is answer


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: pack_sequence_as([1, 2], [7]), ValueError, r"\[., .\] has 2 leaves, but flat_sequence has 1"),
        (lambda: pack_sequence_as([1], 3), TypeError, "flat_sequence must be a list or a tuple, got int"),
        (lambda: map_structure(max), ValueError, "expected at least one structure"),
        (lambda: map_structure(max, [1], [1, 2]), ValueError, r"\[.\] and \[., .\]"),
        (lambda: assert_same_structure([1, [2]], [3, 4]), ValueError, r"\[.\] and \."),
        (lambda: assert_same_structure([1], (1,)), TypeError, "a list and a tuple"),
        (lambda: assert_same_structure({"a": 1}, {"b": 1}), ValueError, r"\['a'\] and a dict of \['b'\]"),
        (lambda: convert_to_list([3], 2, "stride"), ValueError, r"stride must be one int .* of 2, got \[3\]"),
        (lambda: convert_to_list([3, "x"], 2, "stride"), ValueError, "stride must be 2 of type int, got"),
        (
            lambda: check_type(3.0, "n", (int, str), "pad", "see above"),
            TypeError,
            "pad: n must be int or str, got float",
        ),
        (lambda: check_dtype("int64", "x", ["float32"], "pad"), TypeError, "pad: x must be float32, got int64"),
        (lambda: check_variable_and_dtype(3, "x", ["float32"], "pad"), TypeError, "pad: x must be Variable, got int"),
        (lambda: convert_dtype("foo"), TypeError, "dtype must be one of"),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_what_fits_passes():
    assert_same_structure([1], (1,), check_types=False)
    assert convert_to_list(3, 2, "stride") == [3, 3] and convert_to_list((3, 4), 2, "stride") == [3, 4]
    assert [convert_dtype(one) for one in ("bool", np.float32, fluid.core.VarDesc.VarType.FP16)] == [
        "bool", "float32", "float16",
    ]  # fmt: skip
    check_type(3, "n", int, "pad")
    with fluid.program_guard(fluid.Program()):
        check_variable_and_dtype(fluid.data("x", [2]), "x", ["float32"], "pad")
    with fluid.dygraph.guard():
        check_variable_and_dtype(fluid.dygraph.to_variable(np.ones(2, "int64")), "x", "int64", "pad")
