"""Preparing data, and training on several places, as the guide to 1.5 shows it."""

import numpy as np
import pytest

import paddle.fluid as fluid

IMPORTS = """
import os
import numpy
import numpy as np
import paddle
import paddle.fluid as fluid
from paddle.fluid import compiler
"""
OMITTED = "# Here, we omitted the definition of loss of the model"
LOSS = """prediction = fluid.layers.fc(image, 10, act='softmax')
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))"""


@pytest.fixture
def run(run):
    run.text(IMPORTS)
    return run


def written(run, name, **replaced):
    """The text of a program, with what it leaves out put in."""
    text = (run.programs / "data_1_5" / f"{name}.py").read_text(encoding="utf-8").replace(OMITTED, LOSS)
    for old, new in replaced.items():
        text = text.replace({"dots": "...", "iterable": "ITERABLE = True"}[old], new)
    return text


def test_a_batch_reader_of_ones_own(run):
    run("data_1_5/custom_batch_reader.py")
    batch = next(run["mnist_random_image_batch_reader"]())
    assert len(batch) == 128 and batch[0][0].shape == (784,)


def test_readers_are_composed(run, digits):
    digits(300)
    run("data_1_5/composed_reader.py")
    real, label, made, yes, no = next(run["reader"]())
    assert real.shape == (784,) and isinstance(label, int) and made.shape == (400,) and (yes, no) == (True, False)


def test_a_py_reader_is_made(run):
    run("data_1_5/make_py_reader.py")
    assert run["py_reader"].iterable


def test_networks_for_training_and_testing_share_parameters(run):
    run.text(written(run, "two_networks"))
    train, test = (run[name].all_parameters() for name in ("train_prog", "test_prog"))
    assert [p.name for p in train] == [p.name for p in test] == ["fc_0.w_0", "fc_0.b_0"]


def test_the_three_kinds_of_source(run):
    run("data_1_5/fake_readers.py", "data_1_5/py_reader_sources.py")
    for number in (1, 2, 3):
        run.text(f"items = list(py_reader{number}())")
        sizes = sorted(np.array(feed[f"image{number}"]).shape for (feed,) in run["items"])
        assert sizes[-3:] == [(32, 784)] * 3  # the short last one is somewhere among shuffled batches
        assert {np.array(feed[f"label{number}"]).shape[1:] for (feed,) in run["items"]} == {(1,)}


def test_a_py_reader_trains_and_tests_in_loops(run, digits):
    digits(1024, 512)
    run.text(written(run, "networks"))
    printed = run("data_1_5/run_iterable.py").strip().split("\n")
    assert len(printed) == 10 * 3 and all(line.startswith("loss is [array([") for line in printed)
    losses = [float(line.split("[")[2].split("]")[0]) for line in printed[2::3]]
    assert losses[-1] < 0.5 * losses[0]


def test_a_py_reader_trains_and_tests_inside_programs(run, digits):
    digits(1024, 512)
    run.text(written(run, "networks", iterable="ITERABLE = False"))
    printed = run("data_1_5/run_not_iterable.py").strip().split("\n")
    assert printed.count("End of epoch") == 20 and len(printed) == 20 + 10 * 3
    losses = [float(line.split("[")[2].split("]")[0]) for line in printed[3::5]]
    assert losses[-1] < 0.5 * losses[0]


def test_images_are_fed(run):
    run.text(
        "image = fluid.layers.data(name='image', shape=[3, 224, 224])\n"
        "label = fluid.layers.data(name='label', shape=[1], dtype='int64')\n"
        "small = fluid.layers.mean(fluid.layers.pool2d(image, 224, 'avg'))"
    )
    run("data_1_5/feed_images.py")
    run.text("os.environ['CPU_NUM'] = '2'")
    run("data_1_5/feed_every_place.py")


def test_layers_of_data_go_into_a_network(run):
    run("data_1_5/image_layers.py")
    assert run["loss"].shape == (-1, 1)


@pytest.mark.parametrize("use_cuda, count", [(True, 1), (False, 2)])
def test_a_program_is_trained_on_several_places(run, monkeypatch, use_cuda, count):
    monkeypatch.setenv("CPU_NUM", "7")
    run("static_1_5/single_machine.py")
    if not use_cuda:
        run.text("use_cuda = False\nexe = fluid.Executor(fluid.CPUPlace())")
    run("data_1_5/several_places.py")
    assert run["loss_data"].shape == (count,)


def test_parallel_executors_train_and_test(run):
    run("static_1_5/clone_for_test.py", "static_1_5/startup.py")
    run.text("batch = {'image': np.zeros((4, 784), 'float32'), 'label': np.zeros((4, 1), 'int64')}")
    run.text(written(run, "parallel_executors", dots="feed=batch"))
    assert run["test_acc"][0].shape == (1,)
    before = np.array(fluid.global_scope().find_var("fc_1.b_0").get_tensor())
    run.text("train_exec.run([loss.name], feed=batch)")
    assert not np.array_equal(before, np.array(fluid.global_scope().find_var("fc_1.b_0").get_tensor()))
