"""The introduction to the static mode of 1.5: tensors, LoD, a linear regression, training on one machine."""

import numpy as np
import pytest

import paddle.fluid as fluid

IMPORTS = """
import numpy
import numpy as np
import paddle
import paddle.fluid as fluid
from paddle.fluid import compiler, create_lod_tensor
"""


@pytest.fixture
def run(run):
    run.text(IMPORTS)
    return run


def test_tensors_are_made_added_and_cast(run):
    assert run("static_1_5/ones.py") == "[1 1 1 1 1]\n"
    assert run("static_1_5/add.py") == "[2 2 2 2 2]\n"
    assert run("static_1_5/cast.py") == "[1. 1. 1. 1. 1.]\n"
    assert run["cast_result"][0].dtype == np.float64


def test_a_linear_regression_is_trained_saved_loaded_and_asked(run):
    printed = run("static_1_5/linear_regression.py").strip().split("\n")
    costs = [float(line.split("cost=")[1]) for line in printed[:-1]]
    assert printed[0].startswith("iter=0,cost=") and printed[9].startswith("iter=450,cost=")
    assert costs[-1] < 0.01 * costs[0]
    answer = float(printed[-1].removeprefix("9a+5b+2c+10d=[").removesuffix("]"))
    assert abs(answer - 100) < 2  # 4 * 9 + 6 * 5 + 7 * 2 + 2 * 10


def test_a_tensor_with_two_levels_of_detail_is_made(run):
    assert run("static_1_5/make_lod_tensor.py") == "2\n15\n"
    assert run["a"].lod() == [[0, 3, 4, 6], [0, 3, 5, 9, 10, 12, 15]]


def test_a_lod_tensor_becomes_arrays_and_arrays_a_lod_tensor(run):
    run("static_1_5/lod_tensor_to_tensor.py")
    assert [part.shape for part in run["new_array"]] == [(1, 1), (3, 1)]
    assert run("static_1_5/tensor_to_lod_tensor.py") == (
        "The LoD of the result: [[0, 1, 4]].\nThe array : [[1]\n [2]\n [3]\n [4]].\n"
    )


def test_data_is_declared_with_and_without_a_batch(run):
    run("static_1_5/data.py")
    assert run["image"].shape == (-1, 28, 28) and run["label"].shape == (-1, 1)


@pytest.mark.parametrize(
    "program, name, shape",
    [
        ("data_without_batch", "image", (28, 28)),
        ("data_without_batch", "label", (1,)),
        ("fixed_batch", "image", (32, 784)),
        ("batch_in_the_middle", "sentence", (80, -1, 1)),
    ],
)
def test_a_batch_size_is_only_added_where_wanted(run, program, name, shape):
    run(f"static_1_5/{program}.py")
    assert run[name].shape == shape


def test_sentences_are_fed(run):
    run.text("exe = fluid.Executor(fluid.CPUPlace())")
    run("static_1_5/feed_sentences.py")
    assert run["sentence"].lod_level == 1


def test_readers_are_batched_buffered_and_shuffled(run, digits):
    digits(300)
    run("static_1_5/batch_reader.py", "static_1_5/buffered_reader.py", "static_1_5/shuffled_reader.py")
    assert [len(batch) for batch in run["mnist_train_batch_reader"]()] == [128, 128, 44]
    assert sum(1 for _ in run["buffered_reader"]()) == 300
    assert sum(1 for _ in run["reader"]()) == 300


def test_readers_are_made_of_random_images(run):
    run("static_1_5/reader_of_images.py", "static_1_5/reader_of_images_and_labels.py")
    assert next(run["reader_creator_random_image"](4, 5)()).shape == (20,)
    image, label = next(run["reader_creator_random_image_and_label"](4, 5, 7)())
    assert image.shape == (20,) and label == 7


def test_a_line_is_fitted_step_by_step(run):
    run("static_1_5/fit_a_line.py")
    run.text("sgd_optimizer.minimize(avg_cost)")
    assert [p.shape for p in fluid.default_main_program().all_parameters()] == [(13, 1), (1,)]


def test_a_network_is_built_initialised_on_a_device_and_saved(run, tmp_path):
    run("static_1_5/default_programs.py", "static_1_5/startup.py")
    weights = {p.name: run_param(p.name) for p in fluid.default_main_program().all_parameters()}
    assert sorted(weights) == ["fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0"]
    run("static_1_5/save_params.py", "static_1_5/save_persistables.py")
    assert sorted(p.name for p in (tmp_path / "my_paddle_model").iterdir()) == sorted(weights)
    run("static_1_5/startup.py")
    assert any(not np.array_equal(run_param(name), value) for name, value in weights.items())
    run("static_1_5/load_params.py")
    assert all(np.array_equal(run_param(name), value) for name, value in weights.items())


def test_training_goes_on_from_saved_persistables(run):
    run.text("x = fluid.layers.create_parameter([2], 'float32', name='x')")
    run.text("fluid.layers.increment(fluid.layers.create_global_var([1], 0.0, 'float32', True, name='steps'))")
    run("static_1_5/startup.py")
    run.text("exe.run()\nexe.run()")
    run("static_1_5/save_persistables.py", "static_1_5/load_persistables.py")
    assert run_param("steps").tolist() == [3.0]


def test_a_program_is_trained_directly_and_compiled(run):
    run("static_1_5/single_machine.py")
    assert run["loss_data"].shape == (1,)
    compiled = float(run["loss_data"][0])
    run.text("loss_data, = exe.run(train_program, feed={'X': x}, fetch_list=[loss.name])")
    assert float(run["loss_data"][0]) < compiled


def test_a_program_is_cloned_for_testing_before_the_optimizer(run):
    run("static_1_5/clone_for_test.py")
    test, main = run["test_program"], fluid.default_main_program()
    types = [op.type for op in test.global_block().ops]
    assert types[-2:] == ["top_k", "accuracy"] and "adam" not in types
    assert [op.type for op in main.global_block().ops][-1] == "adam"
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"image": np.zeros((4, 784), np.float32), "label": np.zeros((4, 1), np.int64)}
    before = run_param("fc_0.w_0")
    (accuracy,) = exe.run(test, feed=feed, fetch_list=[run["acc"]])
    assert accuracy[0] in (0.0, 1.0)
    assert np.array_equal(before, run_param("fc_0.w_0"))


def run_param(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor())
