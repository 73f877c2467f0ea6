"""print inside a program: one operator counts over all runs."""

import numpy as np
import pytest

from refluid.core.places import CPUPlace
from refluid.executor.executor import Executor
from refluid.ir.program import Program, program_guard
from refluid.ops import registry
from refluid.ops.io.print import FirstN


def test_it_prints_the_first_n_runs_with_the_name_of_the_variable(capsys: pytest.CaptureFixture[str]) -> None:
    main = Program()
    with program_guard(main, Program()):
        x = main.global_block().create_var(name="x", shape=[-1, 2], dtype="float32")
        shown = {f"print_tensor_{what}": what == "name" for what in ("name", "type", "shape", "lod")}
        out = registry.get("print")(x, first_n=FirstN(2, x.name), message="", summarize=-1, **shown)
    executor = Executor(CPUPlace())
    for _ in range(3):
        (found,) = executor.run(main, feed={"x": np.ones((1, 2), "float32")}, fetch_list=[out])
    assert found.tolist() == [[1.0, 1.0]]
    lines = [line for line in capsys.readouterr().out.splitlines() if "place" not in line]
    assert lines == ["Tensor[x]", "\tdata: 1,1,"] * 2
