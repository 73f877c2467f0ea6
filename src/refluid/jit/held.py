"""Held: an imperative variable in a scope, so that plans read and write the very tensor that the layer has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from refluid.eager.variable import VarBase
from refluid.tensor.scope import Scope, ScopeVar


class Held(ScopeVar):
    """What a plan asks of a scope's variable, answered by an imperative one."""

    __slots__ = ("_var",)

    def __init__(self, name: str, var: VarBase):
        self.name, self._var = name, var

    @property
    def value(self) -> Held:
        return self

    @property
    def t(self) -> torch.Tensor:
        return self._var._t

    @t.setter
    def t(self, value: torch.Tensor) -> None:
        self._var._t = value

    def get_tensor(self) -> Any:
        return self

    def is_initialized(self) -> bool:
        return True


def scope_of(bound: Mapping[str, VarBase]) -> Scope:
    """A scope with these variables in it."""
    scope = Scope()
    for name, var in bound.items():
        scope._vars[name] = Held(name, var)
    return scope


def plain_scope(bound: Mapping[str, VarBase]) -> Scope:
    """A scope of ordinary tensors that share memory with the variables: for whoever writes files."""
    scope = Scope()
    for name, var in bound.items():
        scope.var(name).get_tensor().t = var._t
    return scope
