"""Ten thousand runs need no more memory than one."""

import gc
import resource
import sys

import numpy as np

import paddle.fluid as fluid

F32 = np.float32


def test_ten_thousand_runs_do_not_grow():
    x = fluid.data("x", [None, 4])
    hidden = fluid.layers.dropout(fluid.layers.fc(x, 8, act="relu"), 0.5)
    loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(hidden, 1)))
    fluid.optimizer.Adam(0.01).minimize(loss)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())

    def runs(count):
        for i in range(count):
            exe.run(feed={"x": np.ones((1 + i % 3, 4), F32)}, fetch_list=[loss])

    runs(5000)
    gc.collect()
    blocks, resident = sys.getallocatedblocks(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    runs(5000)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 500
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident < 10_000  # kilobytes


def test_programs_that_are_thrown_away_take_their_plans_along():
    def build_and_run():
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
            out = fluid.layers.fc(fluid.data("x", [None, 4]), 8)
            exe = fluid.Executor()
            exe.run(fluid.default_startup_program())
            exe.run(feed={"x": np.ones((1, 4), F32)}, fetch_list=[out])

    build_and_run()
    build_and_run()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(20):
        build_and_run()
    gc.collect()
    assert sys.getallocatedblocks() - before < 500
