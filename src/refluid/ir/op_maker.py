"""core.op_proto_and_checker_maker: the roles of operators, and the names of the attributes that every operator has."""

from __future__ import annotations

from refluid.ir.roles import ROLE, ROLE_VAR, OpRole

__all__ = [
    "OpRole",
    "kOpCreationCallstackAttrName",
    "kOpDeviceAttrName",
    "kOpNameScopeAttrName",
    "kOpRoleAttrName",
    "kOpRoleVarAttrName",
]


def kOpRoleAttrName() -> str:
    return ROLE


def kOpRoleVarAttrName() -> str:
    return ROLE_VAR


def kOpNameScopeAttrName() -> str:
    return "op_namescope"


def kOpCreationCallstackAttrName() -> str:
    return "op_callstack"


def kOpDeviceAttrName() -> str:
    return "op_device"
