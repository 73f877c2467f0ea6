"""Persistable variables that operators write."""

from __future__ import annotations

import numpy as np
import torch

import paddle.fluid as fluid


def test_what_an_operator_makes_anew_is_stored_as_it_is_and_shares_memory_with_nothing() -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [2, 2], "float32")
        w = fluid.layers.create_parameter([2, 2], "float32")
        joined = main.global_block().create_var(name="joined", shape=[4, 2], dtype="float32", persistable=True)
        main.global_block().append_op(type="concat", inputs={"X": [x, w]}, outputs={"Out": joined}, attrs={"axis": 0})
    scope, exe = fluid.Scope(), fluid.Executor(fluid.CPUPlace())
    given = np.ones((2, 2), "float32")
    kept: list[torch.Tensor] = []
    with fluid.scope_guard(scope):
        exe.run(startup)
        for _ in range(2):
            exe.run(main, feed={"x": given})
            kept.append(scope.var("joined").value.t)
        given[:] = 5
        scope.var(w.name).value.t.zero_()
    assert kept[0].data_ptr() != kept[1].data_ptr()
    assert kept[1][:2].tolist() == [[1, 1], [1, 1]] and bool((kept[1][2:] != 0).any())
