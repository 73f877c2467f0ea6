"""DetectionMAP gathers over batches what 1.8.5 gathers, and forgets it on reset."""

import numpy as np
import pytest

from refluid.core.errors import ArgumentError, ModeError
from refluid.core.places import CPUPlace
from refluid.eager import base as imperative
from refluid.executor.executor import Executor
from refluid.ir.program import default_startup_program
from refluid.layers.data import fluid_data
from refluid.metrics.detection import DetectionMAP
from refluid.tensor.create import create_lod_tensor
from refluid.tensor.scope import Scope, scope_guard

FOUND = [
    [1, 0.9, 0.1, 0.1, 0.4, 0.4], [1, 0.8, 0.12, 0.1, 0.4, 0.42], [2, 0.7, 0.5, 0.5, 0.9, 0.9],
    [1, 0.6, 0.6, 0.6, 0.8, 0.8], [2, 0.5, 0.1, 0.5, 0.5, 0.9], [3, 0.4, 0.0, 0.0, 1.2, 1.0],
]  # fmt: skip
TRUTH = [
    [1, 0, 0.1, 0.1, 0.4, 0.4], [2, 1, 0.5, 0.5, 0.9, 0.9], [2, 0, 0.1, 0.6, 0.5, 0.9], [3, 0, 0, 0, 0.9, 0.9],
    [1, 0, 0.2, 0.7, 0.3, 0.8],
]  # fmt: skip


def inputs():
    widths = {"found": 6, "label": 1, "box": 4, "difficult": 1}
    return [fluid_data(name, [None, width], "float32", lod_level=1) for name, width in widths.items()]


def batch(shift=0.0):
    found, truth = np.array(FOUND, "float32"), np.array(TRUTH, "float32")
    found[:, 2:4] += shift
    parts = {"found": (found, [3, 3])}
    parts |= {"label": (truth[:, :1], [2, 3]), "box": (truth[:, 2:], [2, 3]), "difficult": (truth[:, 1:2], [2, 3])}
    return {name: create_lod_tensor(rows, [lengths], CPUPlace()) for name, (rows, lengths) in parts.items()}


def test_precision_of_batches_and_of_all_since_the_last_reset():
    metric = DetectionMAP(*inputs(), class_num=4, overlap_threshold=0.3)
    executor = Executor(CPUPlace())
    with scope_guard(Scope()):
        executor.run(default_startup_program())

        def run(shift):
            return [float(value[0]) for value in executor.run(feed=batch(shift), fetch_list=list(metric.get_map_var()))]

        # What 1.8.5 gives for the same batches.
        assert run(0.0) == pytest.approx([0.8333333, 0.8333333])
        assert run(0.2) == pytest.approx([0.41666666, 0.6180556])
        assert run(0.0) == pytest.approx([0.8333333, 0.65092593])
        metric.reset(executor)
        assert run(0.2) == pytest.approx([0.41666666, 0.41666666])
        assert run(0.0) == pytest.approx([0.8333333, 0.53472227])


def test_it_is_a_part_of_programs():
    with pytest.raises(ArgumentError, match="DetectionMAP: class_num must be given"):
        DetectionMAP(*inputs())
    with imperative.guard(), pytest.raises(ModeError, match="DetectionMAP: it is part of a program"):
        DetectionMAP(None, None, None, class_num=3)
