"""The placement of pieces of variables on servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refluid.ir.variable import Variable


@dataclass
class VarStruct:
    """What is known of a variable without its program."""

    name: str
    shape: Any
    dtype: Any
    type: Any
    lod_level: int
    persistable: bool


def _struct(var: Variable) -> VarStruct:
    if isinstance(var, VarStruct):
        return var
    return VarStruct(var.name, var.shape, var.dtype, var.type, var.lod_level, var.persistable)


class VarDistributed:
    """A variable and a piece of it on a server.

    Args:
        is_slice, block_id, offset: whether it is split, the number of the piece, its offset in elements.
        vtype: "Param", "Optimizer" or "RemotePrefetch".
        endpoint: the server.
    """

    def __init__(
        self, origin_var: Variable, slice_var: Variable, is_slice: bool | None = None, block_id: int | None = None,
        offset: int | None = None, vtype: str | None = None, endpoint: str | None = None,
    ):  # fmt: skip
        self.origin, self.slice = _struct(origin_var), _struct(slice_var)
        self.is_slice = not self.equal(self.origin, self.slice) if is_slice is None else is_slice
        self.block_id = block_id or 0
        self.offset = offset or 0
        self.vtype, self.endpoint = vtype, endpoint

    @staticmethod
    def equal(var1: VarStruct, var2: VarStruct) -> bool:
        return var1 == var2

    def __str__(self) -> str:
        piece = f"{self.slice.name} {list(self.slice.shape)}, piece {self.block_id} from element {self.offset}"
        return f"{self.vtype}: {self.origin.name} {list(self.origin.shape)} as {piece} at {self.endpoint}"


class VarsDistributed:
    """All pieces; and the steps of schedules, which every server counts."""

    def __init__(self) -> None:
        self.distributed_vars: list[VarDistributed] = []
        self.counters: list[VarStruct] = []

    def add_counter(self, var: Variable) -> None:
        self.counters.append(_struct(var))

    def add_distributed_var(
        self, origin_var: Any, slice_var: Any, is_slice: bool | None = None, block_id: int | None = None,
        offset: int | None = None, vtype: str | None = None, endpoint: str | None = None,
    ) -> None:  # fmt: skip
        self.distributed_vars.append(VarDistributed(origin_var, slice_var, is_slice, block_id, offset, vtype, endpoint))

    equal = staticmethod(VarDistributed.equal)

    def get_distributed_var_by_slice(self, var_name: str) -> VarDistributed | None:
        return next((one for one in self.distributed_vars if one.slice.name == var_name), None)

    def get_distributed_var_by_origin_and_ep(self, origin_var_name: str, endpoint: str) -> VarDistributed | None:
        wanted = (origin_var_name, endpoint)
        return next((one for one in self.distributed_vars if (one.origin.name, one.endpoint) == wanted), None)

    def get_distributed_vars_by_vtypes(self, vtypes: Sequence[str], groupby: bool = False) -> Any:
        """Those of some kinds; by the name of their variable if `groupby`."""
        variables = [one for one in self.distributed_vars if one.vtype in vtypes]
        if not groupby:
            return variables
        groups: dict[str, list[VarDistributed]] = {}
        for variable in variables:
            groups.setdefault(variable.origin.name, []).append(variable)
        return groups

    def get_distributed_vars_by_ep(self, endpoint: str, vtype: str | None = None) -> list[VarDistributed]:
        found = (one for one in self.distributed_vars if one.endpoint == endpoint)
        return [one for one in found if not vtype or one.vtype == vtype]

    def overview(self) -> str:
        return "\n".join(map(str, self.distributed_vars))
