"""The passes of a predictor by name, for programs that edit the list."""

from __future__ import annotations

from refluid.core.errors import ArgumentError

# What plans for inference do, under Fluid's names.
_PASSES = ("conv_bn_fuse_pass", "conv_elementwise_add_act_fuse_pass", "fc_fuse_pass", "is_test_pass")


class PaddlePassBuilder:
    """A list of passes by name.

    Programs leave out, or add, passes of Fluid's by their names, most of which no plan has. The list is theirs to edit;
    plans compute the same whatever it says, and `AnalysisConfig.switch_ir_optim(False)` turns off what they rewrite.
    """

    def __init__(self, passes: list[str] | None = None):
        self._passes = list(_PASSES if passes is None else passes)
        self._analysis: list[str] = []

    def all_passes(self) -> list[str]:
        return list(self._passes)

    def set_passes(self, passes: list[str]) -> None:
        self._passes = list(passes)

    def append_pass(self, pass_type: str) -> None:
        self._passes.append(pass_type)

    def insert_pass(self, index: int, pass_type: str) -> None:
        self._passes.insert(index, pass_type)

    def delete_pass(self, pass_: str | int) -> None:
        """Leave out the pass of this name, or in this place; a name that is not there changes nothing."""
        if isinstance(pass_, str):
            self._passes = [name for name in self._passes if name != pass_]
        elif 0 <= pass_ < len(self._passes):
            del self._passes[pass_]
        else:
            raise ArgumentError(f"delete_pass: there are {len(self._passes)} passes, got the index {pass_}")

    def analysis_passes(self) -> list[str]:
        return list(self._analysis)

    def append_analysis_pass(self, pass_type: str) -> None:
        self._analysis.append(pass_type)

    def debug_string(self) -> str:
        return "\n".join(["Passes to apply:", *(f"  - {name}" for name in self._passes)])

    def turn_on_debug(self) -> None:
        """Begin the list with the pass that draws the graph."""
        self._passes.insert(0, "graph_viz_pass")


class PassStrategy(PaddlePassBuilder):
    """The passes for a place."""

    def use_gpu(self) -> bool:
        return False


class CpuPassStrategy(PassStrategy):
    """The passes for CPUs."""


class GpuPassStrategy(PassStrategy):
    """The passes for CUDA devices."""

    def use_gpu(self) -> bool:
        return True
