"""One update of one parameter, before a mode carries it out."""

from __future__ import annotations

from typing import Any, NamedTuple

from refluid.ops.fused import run_fused
from refluid.ops.registry import OpDef


class Update(NamedTuple):
    """An update operator and what goes into its slots."""

    op: OpDef
    inputs: dict[str, Any]
    attrs: dict[str, Any]

    def outputs(self) -> dict[str, Any]:
        """Update operators write over their inputs."""
        return {
            self.op.outputs[out].name: self.inputs[self.op.inputs[src].name]
            for out, src in self.op.inplace.items()
            if self.op.inputs[src].name in self.inputs
        }


def run_updates(updates: list[Update]) -> None:
    """Carry out updates at once, those of one kind in one call."""
    groups: dict[Any, list[Update]] = {}
    for update in updates:
        key = (update.op.type, tuple(update.inputs), tuple(sorted(update.attrs.items())))
        groups.setdefault(key, []).append(update)
    for group in groups.values():
        op = group[0].op
        lists = tuple(
            [update.inputs[slot.name]._t for update in group] if slot.name in group[0].inputs else None
            for slot in op.inputs
        )
        run_fused(op, lists, op.kernel_attrs(group[0].attrs))
