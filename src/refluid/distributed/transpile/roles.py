"""Attributes and values by which a transpiler recognizes operators."""

from __future__ import annotations

from refluid.ir.roles import ROLE, ROLE_VAR, OpRole
from refluid.ops.nn.lookup_table import LOOKUP_TABLES

LOOKUP_TABLE_TYPE = [op.type for op in LOOKUP_TABLES]
LOOKUP_TABLE_GRAD_TYPE = [f"{type}_grad" for type in LOOKUP_TABLE_TYPE]
OP_NAME_SCOPE = "op_namescope"
CLIP_OP_NAME_SCOPE = "@CLIP"
OP_ROLE_VAR_ATTR_NAME = ROLE_VAR
RPC_OP_ROLE_ATTR_NAME = op_role_attr_name = ROLE
RPC_OP_ROLE_ATTR_VALUE = OpRole.RPC
OPT_OP_ROLE_ATTR_VALUE = OpRole.Optimize
DIST_OP_ROLE_ATTR_VALUE = OpRole.Dist
LR_SCHED_OP_ROLE_ATTR_VALUE = OpRole.LRSched
