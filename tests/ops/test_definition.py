"""Definitions of operators do not change; rules are attached to them."""

import dataclasses

import pytest

from refluid.ops import registry
from refluid.ops.derive import replayed


def test_a_definition_does_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        registry.get("relu").kernel = None


def test_a_derived_gradient_has_the_slots_of_its_operator_and_none_of_its_rules():
    forward = registry.get("sequence_expand")
    gradient = replayed(forward)
    assert forward.rules.lods is not None and gradient.rules.lods is None and gradient.forward is forward
    assert set(forward.input_index) < set(gradient.input_index)
    assert [slot.name for slot in gradient.outputs] == ["X@GRAD"]


def test_operators_that_programs_may_carry_take_the_attributes_that_all_take():
    relu = registry.get("relu")
    assert relu.has_attr("use_cudnn") and relu.attr_type("op_role_var") == "STRINGS"
    assert not relu.has_attr("speed")
