"""DetectionMAP: mean average precision, accumulated by the program that detects."""

from __future__ import annotations

from refluid.core import mode, unique_name
from refluid.core.errors import ArgumentError, ModeError
from refluid.executor.executor import Executor
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.layers.creation import fill_constant
from refluid.layers.detection.precision import detection_map
from refluid.layers.helper import LayerHelper
from refluid.layers.shape import concat
from refluid.layers.tensor import cast
from refluid.params.initializer import Constant


class DetectionMAP:
    """The mean average precision of a batch and of all batches since the last reset, as variables to fetch.

    Args:
        input: what is detected, [M, 6]: class, score and box, with a LoD by image.
        gt_label, gt_box: ground-truth classes [N, 1] and boxes [N, 4], with a LoD by image.
        gt_difficult: [N, 1], whether a box is difficult.
        class_num: with the background.
        background_label: the background class.
        overlap_threshold: the IoU from which a detection matches a ground-truth box.
        evaluate_difficult: whether difficult boxes count.
        ap_version: "integral" or "11point".
    """

    def __init__(
        self,
        input: BaseVariable,
        gt_label: BaseVariable,
        gt_box: BaseVariable,
        gt_difficult: BaseVariable | None = None,
        class_num: int | None = None,
        background_label: int = 0,
        overlap_threshold: float = 0.5,
        evaluate_difficult: bool = True,
        ap_version: str = "integral",
    ):
        mode.current().demand_program(ModeError("DetectionMAP: it is part of a program; build it in the static mode"))
        if class_num is None:
            raise ArgumentError("DetectionMAP: class_num must be given")
        self.helper = LayerHelper("map_eval")
        parts = [cast(gt_label, gt_box.dtype), gt_box]
        if gt_difficult is not None:
            parts.insert(1, cast(gt_difficult, gt_box.dtype))
        label = concat(parts, axis=1)
        self.cur_map = detection_map(
            input, label, class_num, background_label, overlap_threshold, evaluate_difficult, ap_version=ap_version
        )
        states = [
            self._create_state("accum_pos_count", "int32", [class_num, 1]),
            self._create_state("accum_true_pos", "float32", [1, 2], lod_level=1),
            self._create_state("accum_false_pos", "float32", [1, 2], lod_level=1),
        ]
        self.has_state = self._create_state("has_state", "int32", [1])
        self.has_state.stop_gradient = True
        self.accum_map = detection_map(
            input, label, class_num, background_label, overlap_threshold, evaluate_difficult, self.has_state, states,
            states, ap_version,
        )  # fmt: skip
        fill_constant(self.has_state.shape, self.has_state.dtype, 1, out=self.has_state)

    def _create_state(self, suffix: str, dtype: str, shape: list[int], lod_level: int = 0) -> Variable:
        """A persistable variable. It starts as zeros, which nobody reads before there are counts."""
        name = f"{unique_name.generate(self.helper.name)}_{suffix}"
        state = self.helper.create_global_variable(
            persistable=True, name=name, dtype=dtype, shape=shape, lod_level=lod_level
        )
        self.helper.set_variable_initializer(state, Constant(0))
        return state

    def get_map_var(self) -> tuple[BaseVariable, BaseVariable]:
        """(the precision of the batch, of all batches since the last reset), each [1]."""
        return self.cur_map, self.accum_map

    def reset(self, executor: Executor, reset_program: Program | None = None) -> None:
        """Drop all batches, by a program that is run once (`reset_program`, if given, gets its operator)."""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            zeroed = program.global_block()._clone_variable(self.has_state)
            fill_constant(self.has_state.shape, self.has_state.dtype, 0, out=zeroed)
        executor.run(program)
