"""The course on handwritten digits for 1.7: Linear, parameter lists, save_dygraph, schedules, resuming."""

import gzip
import itertools
import json
import re

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

IMPORTS = """
import random
import numpy as np
import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph.nn import Conv2D, Linear, Pool2D
"""


@pytest.fixture
def course(run, tmp_path):
    """The course's own file of digits, its reader and its network."""
    samples = list(itertools.islice(paddle.dataset.mnist.train()(), 200))
    part = [[((image + 1) / 2).tolist() for image, _ in samples], [label for _, label in samples]]
    (tmp_path / "work").mkdir()
    with gzip.open(tmp_path / "work" / "mnist.json.gz", "wt", compresslevel=1) as file:
        json.dump([part, part, part], file)
    run.text(IMPORTS + "random.seed(3)")
    assert run("dygraph_1_7/load_data.py") == "loading mnist dataset from ./work/mnist.json.gz ......\n"
    return run


def losses(printed):
    return [float(found) for found in re.findall(r"epoch: \d+, batch: 0, loss is: \[(.*?)\], acc is \[.*?\]", printed)]


def test_training_saves_parameters_and_optimizer_and_resumes(course, tmp_path):
    before = losses(course("dygraph_1_7/train_and_save.py"))
    assert len(before) == 5 and before[-1] < before[0]
    for epoch in range(5):
        assert (tmp_path / f"checkpoint/mnist_epoch{epoch}.pdparams").exists()
        assert (tmp_path / f"checkpoint/mnist_epoch{epoch}.pdopt").exists()
    steps = course["optimizer"].state_dict()["global_step"]
    after = losses(course("dygraph_1_7/resume.py"))
    assert len(after) == 4 and after[0] < before[0]
    assert np.array_equal(np.array(course["optimizer"].state_dict()["global_step"]), np.array(steps))


def test_resuming_goes_on_exactly_where_training_stopped(course):
    course.text("order = random.getstate()")
    course("dygraph_1_7/train_and_save.py")
    uninterrupted = course["avg_loss"].numpy()
    course.text("random.setstate(order)\ntrain_loader = load_data('train')\nlist(train_loader())")  # the first epoch
    course("dygraph_1_7/resume.py")
    assert np.array_equal(course["avg_loss"].numpy(), uninterrupted)


def test_losses_are_gathered_for_a_plot_and_the_model_is_saved(course, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    course.text("place = fluid.CPUPlace()")
    found = losses(course("dygraph_1_7/train_and_plot.py"))
    assert len(found) == 10 and found[-1] < found[0]
    assert course["iters"] == list(range(0, 1000, 100))
    assert np.allclose(np.array(course["losses"])[:, 0], found)
    assert (tmp_path / "mnist.pdparams").exists()


def test_figures_are_handed_to_a_log_writer(course):
    written = []

    class LogWriter:
        def add_scalar(self, tag, step, value):
            written.append((tag, step, float(value[0])))

    course.names["log_writer"] = LogWriter()
    course("dygraph_1_7/train_with_visualdl.py")
    assert [entry[:2] for entry in written[:4]] == [("acc", 0), ("loss", 0), ("acc", 100), ("loss", 100)]
    assert len(written) == 20


def test_a_forward_that_prints_shapes_and_contents(run):
    run.text(IMPORTS)
    run("dygraph_1_7/mnist.py")
    method = (run.programs / "dygraph_1_7/forward_that_prints.py").read_text(encoding="utf-8")
    run.text("class Printing(MNIST):\n" + method)
    printed = run.text(
        "with fluid.dygraph.guard():\n"
        "    image = fluid.dygraph.to_variable(np.zeros((2, 1, 28, 28), 'float32'))\n"
        "    label = fluid.dygraph.to_variable(np.zeros((2, 1), 'int64'))\n"
        "    result = Printing()(image, label, check_shape=True, check_content=True)"
    )
    for line in (
        "conv1-- kernel_size:[20, 1, 5, 5], padding:[2, 2], stride:[1, 1]",
        "pool1-- pool_type:max, pool_size:[2, 2], pool_stride:[2, 2]",
        "fc-- weight_size:[980, 10], bias_size_[10], activation:softmax",
        "outputs4_shape: [2, 20, 7, 7]",
        "outputs5_shape: [2, 10]",
    ):
        assert line in printed
    assert "conv1 params -- kernel weights:" in printed and "The output of last layer:" in printed
    assert run["result"][1].shape == [1]


def test_a_regularizer_is_given_to_the_optimizer(run):
    run.text(IMPORTS)
    with fluid.dygraph.guard():
        run.names["model"] = fluid.dygraph.Linear(2, 1)
        run("dygraph_1_7/regularize.py")
        before = run["model"].weight.numpy()
        loss = fluid.layers.mean(run["model"](fluid.dygraph.to_variable(np.zeros((3, 2), np.float32))))
        loss.backward()
        run["optimizer"].minimize(loss)
        assert np.allclose(np.sign(before - run["model"].weight.numpy()), np.sign(before))  # the weights shrink
