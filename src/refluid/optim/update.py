"""One update of one parameter, before a mode carries it out."""

from __future__ import annotations

from typing import Any, NamedTuple

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
