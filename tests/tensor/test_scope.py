import weakref

import numpy as np
import pytest

from refluid.core.errors import ArgumentError, DtypeError, NotFoundError
from refluid.core.places import CPUPlace
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope, _switch_scope, global_scope, scope_guard
from refluid.tensor.selected_rows import SelectedRows
from refluid.tensor.tensor_array import LoDTensorArray


def test_a_variable_is_made_once_and_found_by_name():
    scope = Scope()
    assert scope.find_var("x") is None
    x = scope.var("x")
    assert scope.var("x") is x and scope.find_var("x") is x
    assert x.name == "x" and scope.local_var_names() == ["x"]


def test_a_kid_sees_its_parents_and_keeps_its_own_to_itself():
    scope = Scope()
    kid = scope.new_scope()
    x = scope.var("x")
    assert kid.find_var("x") is x and kid.parent is scope and scope._kids() == [kid]
    assert kid.var("x") is not x and kid.find_var("x") is not x
    kid.var("y")
    assert scope.find_var("y") is None
    scope.drop_kids()
    assert scope._kids() == []


def test_erased_variables_are_gone():
    scope = Scope()
    scope.var("x"), scope.var("y")
    scope.erase(["x", "never there"])
    assert scope.find_var("x") is None and scope.local_var_names() == ["y"]


def test_the_first_read_decides_what_a_variable_holds():
    scope = Scope()
    for name, get, kind in (
        ("t", "get_tensor", LoDTensor),
        ("s", "get_selected_rows", SelectedRows),
        ("a", "get_lod_tensor_array", LoDTensorArray),
    ):
        var = scope.var(name)
        assert not var.is_initialized()
        held = getattr(var, get)()
        assert type(held) is kind and getattr(var, get)() is held
    with pytest.raises(DtypeError, match="variable 't' holds LoDTensor, not SelectedRows"):
        scope.var("t").get_selected_rows()
    with pytest.raises(DtypeError, match="variable 't' holds LoDTensor, not int"):
        scope.var("t").set_int(3)


def test_an_empty_tensor_is_not_initialized():
    var = Scope().var("x")
    var.get_tensor()
    assert not var.is_initialized()
    var.get_tensor().set(np.ones(2, "float32"), CPUPlace())
    assert var.is_initialized()
    assert repr(var) == "<variable 'x': LoDTensor>"


def test_numbers_are_kept_by_kind():
    scope = Scope()
    i, f = scope.var("i"), scope.var("f")
    with pytest.raises(NotFoundError, match="variable 'i' holds nothing yet"):
        i.get_int()
    i.set_int(3)
    f.set_float(2)
    assert i.is_int() and i.get_int() == 3 and not i.is_float()
    assert f.is_float() and f.get_float() == 2.0 and not f.is_int()
    with pytest.raises(DtypeError, match="variable 'f' holds float, not int"):
        f.get_int()


def test_the_guard_puts_another_scope_in_place_and_the_old_one_back():
    outer, inner = global_scope(), Scope()
    with pytest.raises(KeyError):
        with scope_guard(inner):
            assert global_scope() is inner
            raise KeyError
    assert global_scope() is outer
    assert _switch_scope(inner) is outer and _switch_scope(outer) is inner
    with pytest.raises(ArgumentError, match="scope must be a Scope, got str"):
        _switch_scope("scope")


def test_a_scope_can_be_referred_to_weakly():
    scope = Scope()
    reference = weakref.ref(scope)
    assert reference() is scope
    del scope
    assert reference() is None
