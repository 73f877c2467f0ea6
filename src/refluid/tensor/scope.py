"""Scope: the variables of a running program by name, and the scope that programs run in by default."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from refluid.core.callsite import called_function
from refluid.core.errors import ArgumentError, DtypeError, NotFoundError
from refluid.core.per_thread import PerThread
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.rank_table import RankTable
from refluid.tensor.selected_rows import SelectedRows
from refluid.tensor.tensor_array import LoDTensorArray

_T = TypeVar("_T")


class ScopeVar:
    """A named place for a value: LoDTensor, SelectedRows, LoDTensorArray, Scope, number; None while empty.

    What `get_tensor()` gave stays valid: whoever computes a new tensor stores it in `var.get_tensor().t`.
    """

    __slots__ = ("__weakref__", "name", "value")

    def __init__(self, name: str):
        self.name = name
        self.value: Any = None

    def is_initialized(self) -> bool:
        """Whether there is a value that can be read; an empty LoDTensor is none."""
        return self.value.t is not None if isinstance(self.value, LoDTensor) else self.value is not None

    def get_tensor(self) -> LoDTensor:
        return self._of(LoDTensor)

    def get_selected_rows(self) -> SelectedRows:
        return self._of(SelectedRows)

    def get_lod_tensor_array(self) -> LoDTensorArray:
        return self._of(LoDTensorArray)

    def get_fetch_list(self) -> LoDTensorArray:
        return self._of(LoDTensorArray)

    def get_lod_rank_table(self) -> RankTable:
        if self.value is None:
            self.value = RankTable(LoD([(0,)]))
        return self._of(RankTable)

    def get_reader(self) -> Any:
        """The reader that the variable holds: whatever has `next_feed`."""
        if not hasattr(self.value, "next_feed"):
            raise DtypeError(f"variable {self.name!r} holds no reader")
        return self.value

    def get_bytes(self) -> bytes:
        return self._of(bytes)

    def is_int(self) -> bool:
        return type(self.value) is int

    def get_int(self) -> int:
        return self._number(int)

    def set_int(self, value: int) -> None:
        self._set_number(int, value)

    def is_float(self) -> bool:
        return type(self.value) is float

    def get_float(self) -> float:
        return self._number(float)

    def set_float(self, value: float) -> None:
        self._set_number(float, value)

    def set_scope(self, scope: Scope) -> None:
        self.value = scope

    def _of(self, kind: type[_T]) -> _T:
        """The value, made on first use."""
        if self.value is None:
            self.value = kind()
        elif not isinstance(self.value, kind):
            raise self._holds_another(kind)
        return self.value

    def _number(self, kind: type[_T]) -> _T:
        if self.value is None:
            raise NotFoundError(f"variable {self.name!r} holds nothing yet")
        if type(self.value) is not kind:
            raise self._holds_another(kind)
        return self.value

    def _set_number(self, kind: type, value: object) -> None:
        if self.value is not None and type(self.value) is not kind:
            raise self._holds_another(kind)
        self.value = kind(value)

    def _holds_another(self, kind: type) -> DtypeError:
        return DtypeError(f"variable {self.name!r} holds {type(self.value).__name__}, not {kind.__name__}")

    def __repr__(self) -> str:
        return f"<variable {self.name!r}: {'empty' if self.value is None else type(self.value).__name__}>"


class Scope:
    """The variables of a running program by name. A scope finds those of its parent too.

    Args:
        parent: the scope around it; None for none.

    Example:
        >>> scope = fluid.Scope()
        >>> scope.var("w").get_tensor().set(np.ones((2, 2), "float32"), fluid.CPUPlace())
        >>> np.array(scope.find_var("w").get_tensor()).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
        >>> scope.find_var("b") is None
        True
    """

    __slots__ = ("__weakref__", "_vars", "erased", "kids", "parent")

    def __init__(self, parent: Scope | None = None):
        self.parent = parent
        self.kids: list[Scope] = []
        self._vars: dict[str, ScopeVar] = {}
        self.erased = 0  # how often variables were erased: what the executor has bound may be stale then

    def var(self, name: str) -> ScopeVar:
        """The variable of this scope with that name, made if it is not here (a parent's does not count)."""
        found = self._vars.get(name)
        if found is None:
            found = self._vars[name] = ScopeVar(name)
        return found

    @classmethod
    def over(cls, variables: Iterable[ScopeVar]) -> Scope:
        """A scope over variables that another scope holds as well."""
        made = cls()
        made._vars = {var.name: var for var in variables}
        return made

    def find_var(self, name: str) -> ScopeVar | None:
        """The variable with that name here or in the nearest parent that has one, else None."""
        scope: Scope | None = self
        while scope is not None:
            var = scope._vars.get(name)
            if var is not None:
                return var
            scope = scope.parent
        return None

    def local_var_names(self) -> list[str]:
        return list(self._vars)

    def erase(self, names: Iterable[str]) -> None:
        """Remove variables of this scope; names it does not have are ignored."""
        self.erased += 1
        for name in names:
            self._vars.pop(name, None)

    def new_scope(self) -> Scope:
        kid = Scope(self)
        self.kids.append(kid)
        return kid

    def drop_kids(self) -> None:
        self.kids.clear()

    def _kids(self) -> list[Scope]:
        return list(self.kids)

    def __repr__(self) -> str:
        return f"<Scope of {len(self._vars)} variables>"


_current: PerThread[Scope] = PerThread("scope", Scope())


def global_scope() -> Scope:
    """The scope that programs run in unless another is given.

    Returns:
        A Scope.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> _ = fluid.Executor(fluid.CPUPlace()).run(fluid.default_startup_program())
        >>> fluid.global_scope().find_var("fc_0.w_0").get_tensor().shape()
        [3, 2]
    """
    return _current.get()


def _fetch_var(name: str, scope: Scope | None = None, return_numpy: bool = True) -> np.ndarray | LoDTensor:
    """The value of a variable that a run has left in the scope."""
    if not isinstance(name, str):
        raise ArgumentError(f"_fetch_var: name must be a str, got {type(name).__name__}")
    var = (global_scope() if scope is None else scope).find_var(name)
    if var is None or not var.is_initialized():
        raise NotFoundError(
            f"_fetch_var: the scope has no value of {name!r}; only persistable variables outlive a run "
            "(var.persistable = True)"
        )
    tensor = var.get_tensor()
    return np.array(tensor) if return_numpy else tensor


def _switch_scope(scope: Scope) -> Scope:
    """Make another scope the global one and return the old one."""
    return _current.set(_checked(scope))


def _checked(scope: object) -> Scope:
    if not isinstance(scope, Scope):
        raise ArgumentError(f"{called_function()}: scope must be a Scope, got {type(scope).__name__}")
    return scope


@contextlib.contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Make a scope the global one inside a `with` block.

    Args:
        scope: the scope.

    Yields:
        None.

    Example:
        >>> scope = fluid.Scope()
        >>> with fluid.scope_guard(scope):
        ...     fluid.global_scope() is scope
        True
    """
    with _current.holding(_checked(scope)):
        yield
