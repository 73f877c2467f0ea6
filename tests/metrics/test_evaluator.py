"""Evaluators gather over the runs of a program. The numbers are those of Fluid 1.8.5."""

import numpy as np
import pytest

from paddle import fluid
from paddle.fluid import evaluator


def sequences(values):
    return fluid.create_lod_tensor(np.array(values, "int64").reshape(-1, 1), [[3, 3]], fluid.CPUPlace())


@pytest.fixture
def inputs():
    with (
        fluid.program_guard(fluid.Program(), fluid.Program()),
        fluid.unique_name.guard(),
        fluid.scope_guard(fluid.Scope()),
    ):
        yield [fluid.data(name, [-1, 1], "int64", lod_level=1) for name in ("x", "y")]


def test_chunks_and_distances_are_fluids(inputs):
    chunks = evaluator.ChunkEvaluator(*inputs, "IOB", 2)
    distance = evaluator.EditDistance(*inputs, ignored_tokens=[0])
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"x": sequences([0, 1, 4, 2, 3, 0]), "y": sequences([0, 1, 4, 2, 4, 4])}
    for _ in range(2):
        chunks.reset(exe)
        distance.reset(exe)
        for _ in range(2):
            fetched = exe.run(feed=feed, fetch_list=chunks.metrics + distance.metrics)
            np.testing.assert_allclose(np.concatenate(fetched), [0.33333334, 0.5, 0.4, 0.6666667, 1], rtol=1e-6)
        np.testing.assert_allclose(np.concatenate(chunks.eval(exe)), [0.33333334, 0.5, 0.4], rtol=1e-6)
        np.testing.assert_allclose(np.concatenate(distance.eval(exe)), [0.33333334, 0.5], rtol=1e-6)


def test_a_training_that_never_resets_them_counts_from_zero(inputs):
    distance = evaluator.EditDistance(*inputs)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"x": sequences([0, 1, 4, 2, 3, 0]), "y": sequences([0, 1, 4, 2, 4, 4])}
    exe.run(feed=feed, fetch_list=distance.metrics)
    np.testing.assert_allclose(np.concatenate(distance.eval(exe)), [0.33333334, 0.5], rtol=1e-6)


def test_states_are_named_as_fluid_names_them(inputs):
    chunks = evaluator.ChunkEvaluator(*inputs, "IOB", 2)
    assert [state.name for state in chunks.states] == [
        "chunk_eval_0_0_num_infer_chunks", "chunk_eval_0_1_num_label_chunks", "chunk_eval_0_2_num_correct_chunks",
    ]  # fmt: skip
    assert all(state.persistable for state in chunks.states)


def test_evaluating_too_early_or_in_the_wrong_mode_is_told(inputs):
    distance = evaluator.EditDistance(*inputs)
    exe = fluid.Executor(fluid.CPUPlace())
    with pytest.raises(ValueError, match=r"EditDistance.eval: .*total_distance has no value; call reset\(executor\)"):
        distance.eval(exe)
    distance.reset(exe)
    with pytest.raises(ValueError, match="EditDistance.eval: there is no data"):
        distance.eval(exe)
    with fluid.dygraph.guard(), pytest.raises(TypeError, match="evaluators are parts of a program"):
        evaluator.ChunkEvaluator(*inputs, "IOB", 2)
