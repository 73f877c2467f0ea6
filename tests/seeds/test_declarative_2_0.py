"""The tutorial on imperative programming of 2.0-alpha: from imperative layers to programs, for deployment and speed."""

import re

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid


@pytest.fixture
def course(run, digits):
    digits(64 * 6)
    programs = lambda *names: run(*(f"imperative_2_0/{name}.py" for name in names))  # noqa: E731
    run.text("import numpy as np")
    programs("readers", "conv_pool")
    yield programs
    paddle.disable_imperative()
    paddle.imperative.ProgramTranslator.reset()


def test_a_traced_layer_is_saved_and_run_by_an_executor(course, run):
    course("mnist", "traced_layer", "traced_layer_runs")
    assert run["fetch"].shape == (10, 10)
    np.testing.assert_allclose(run["fetch"], run["out_dygraph"].numpy(), rtol=1e-5)


def test_a_declarative_layer_is_saved_by_the_translator(course, run):
    course("declarative_mnist", "translator")
    out, accuracy = run["out"]
    exe = fluid.Executor()
    program, feeds, fetches = fluid.io.load_inference_model("./mnist_dy2stat", exe)
    arrays = dict(zip(feeds, [run["in_np"], run["label_np"]], strict=True))
    found = exe.run(program, feed=arrays, fetch_list=fetches)
    np.testing.assert_allclose(found[0], out.numpy(), rtol=1e-5)
    np.testing.assert_allclose(found[1], accuracy.numpy())


def test_a_declarative_layer_trains(course):
    printed = course("declarative_mnist", "optimizer", "train")
    losses = [float(found) for found in re.findall(r"Loss at epoch \d+ step 0: \[(.*?)\]", printed)]
    assert len(losses) == 5 and losses[-1] < losses[0] / 2
