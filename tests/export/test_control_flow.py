"""Loops, conditions and arrays become Python's own in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from tests.export.models import run_here
from tests.export.test_torch import module_of, run

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.export.mapping import ExportError
from refluid.export.model import read
from refluid.export.to_torch.write import to_source


def saved(folder, feeds, outputs):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    fluid.io.save_inference_model(folder, feeds, outputs, exe)
    return read(folder)


def compare(model, folder, feed):
    wanted = run_here(folder, feed, None, None)
    for found, other in zip(run(module_of(model), feed, list(feed)), wanted, strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-5)


def test_a_condition_runs_one_of_its_branches(tmp_path):
    x = fluid.data(name="x", shape=[None, 2], dtype="float32")
    total = layers.reduce_sum(x)
    zero = layers.fill_constant([1], "float32", 0.0)
    out = layers.cond(layers.less_than(total, zero), lambda: layers.scale(x, 2.0), lambda: layers.square(x))
    model = saved(str(tmp_path), ["x"], [out])
    for sign in (1, -1):
        compare(model, str(tmp_path), {"x": np.array([[1.5, 2.0]], "float32") * sign})
    assert "        if less_than_0_tmp_0:\n" in to_source(model, "net")[0]


def test_a_loop_fills_an_array(tmp_path):
    x = fluid.data(name="x", shape=[None, 2], dtype="float32")
    i, n = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", 3)
    array = layers.array_write(x, i)
    going = layers.less_than(i, n)
    loop = layers.While(going)
    with loop.block():
        last = layers.array_read(array, i)
        layers.increment(i)
        layers.array_write(layers.scale(last, 2.0, bias=1.0), i, array)
        layers.less_than(i, n, cond=going)
    count = layers.array_length(array)
    joined, _ = layers.tensor_array_to_tensor(array, axis=1)
    model = saved(str(tmp_path), ["x"], [joined, layers.cast(count, "float32")])
    compare(model, str(tmp_path), {"x": np.array([[1.0, 2.0], [3.0, 4.0]], "float32")})


def test_a_block_for_a_part_of_the_rows_is_refused(tmp_path):
    x = fluid.data(name="x", shape=[None, 1], dtype="float32")
    choice = layers.IfElse(layers.less_than(x, layers.zeros_like(x)))
    with choice.true_block():
        choice.output(layers.scale(choice.input(x), 2.0))
    with choice.false_block():
        choice.output(layers.square(choice.input(x)))
    model = saved(str(tmp_path), ["x"], [choice()[0]])
    with pytest.raises(ExportError, match="cannot be exported to PyTorch"):
        to_source(model, "net")
