"""The tutorial on imperative programming of 2.0-alpha: paddle.imperative, paddle.nn, paddle.optimizer."""

import re

import numpy as np
import pytest

import paddle


@pytest.fixture
def course(run):
    """Programs of the tutorial, each in the mode in which the one before left it."""
    yield lambda *names: run(*(f"imperative_2_0/{name}.py" for name in names))
    paddle.disable_imperative()


@pytest.fixture
def mnist(course, digits):
    digits(64 * 12, 64 * 2)
    course("readers", "conv_pool", "mnist")
    return course


def losses(printed):
    return [float(found) for found in re.findall(r"Loss at epoch \d+ step 0: \[(.*?)\]", printed)]


def test_the_same_sum_before_and_after_switching(course):
    printed = course("before_and_after")
    assert printed.count("result") == 2 and printed.count("11.") == 8


def test_an_optimizer_takes_the_parameters_of_the_network(mnist, run):
    mnist("optimizer")
    assert len(run["adam"]._parameter_list) == 5


def test_training_saves_a_model_that_is_then_evaluated(mnist, tmp_path, run):
    found = losses(mnist("optimizer", "train"))
    assert len(found) == 5 and found[-1] < found[0] / 2
    assert (tmp_path / "save_temp.pdparams").exists()
    printed = mnist("evaluate")
    assert printed.startswith("checkpoint loaded\n")
    assert run["acc_val_mean"] > 0.6
    assert f"acc is: {run['acc_val_mean']}" in printed


def test_a_single_process_runs_the_program_of_many(mnist, tmp_path, run):
    mnist("data_parallel")
    assert (tmp_path / "work_0.pdparams").exists()
    assert run["avg_loss"].numpy()[0] < 1.0


def test_a_shape_decides_in_plain_python(course, run):
    run.text("import numpy as np\nimport paddle")
    assert course("shape_in_if") == "input_var's shape[1] < 1\n"


@pytest.mark.parametrize("program", ["detach", "stop_gradient"])
def test_gradients_stop_where_they_are_told_to(course, run, program):
    course(program)
    assert not np.any(run["out1"].gradient())
    assert run["fc"].weight.gradient() is None
    assert run["fc2"].weight.gradient().any()
