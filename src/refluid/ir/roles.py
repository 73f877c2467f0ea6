"""The roles an operator plays in a program; `clone(for_test=True)` and the transpilers go by them."""

from __future__ import annotations

import enum


class OpRole(enum.IntFlag):
    Forward = 0x0000
    Backward = 0x0001
    Optimize = 0x0002
    RPC = 0x0004
    Dist = 0x0008
    LRSched = 0x0010
    Loss = 0x0100


ROLE = "op_role"
ROLE_VAR = "op_role_var"


def has_role(attrs: dict, role: OpRole) -> bool:
    return bool(int(attrs.get(ROLE, 0)) & role)
