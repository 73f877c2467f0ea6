"""The tutorial of the imperative mode of 1.5: layers with name scopes, FC, save_persistables with optimizers."""

import re

import numpy as np
import pytest
from PIL import Image

import paddle

IMPORTS = "import os\nimport numpy as np\nimport paddle\nimport paddle.fluid as fluid\nfrom PIL import Image\n"


@pytest.fixture
def run(run):
    run.text(IMPORTS)
    return run


@pytest.fixture
def mnist(run):
    run("dygraph_1_5/simple_img_conv_pool.py", "dygraph_1_5/mnist.py")
    return run


def losses(printed, pattern):
    return [float(found) for found in re.findall(pattern + r"\[?([0-9.e-]+)", printed)]


def test_ten_inputs_are_summed_and_the_loss_has_a_gradient(run):
    assert run("dygraph_1_5/sums.py").split("\n") == ["[[10. 10.]", " [10. 10.]]", "[1.]", ""]


def test_my_layer_has_a_gradient_though_nothing_asked_for_one(run):
    run("dygraph_1_5/my_layer.py")
    assert run["dy_out"].tolist() == [5.0]
    assert run["dy_grad"].tolist() == [2.0, 4.0, 0.0]


def test_a_network_without_training_gives_probabilities_near_a_tenth(mnist, digits):
    digits(128)
    mnist.text("train_reader = paddle.batch(paddle.dataset.mnist.train(), batch_size=64, drop_last=True)")
    assert mnist("dygraph_1_5/look.py").startswith("result is: [[0.")
    with paddle.fluid.dygraph.guard():
        probabilities = mnist["mnist"](mnist["img"]).numpy()
    assert probabilities.shape == (64, 10)
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert np.abs(probabilities - 0.1).max() < 0.05


def test_the_training_loop_learns(mnist, digits):
    digits(32 * 6)
    mnist("dygraph_1_5/train.py")
    assert mnist["avg_loss"].shape == [1]
    assert float(mnist["avg_loss"].numpy()[0]) < 1.0


def test_the_training_loop_tells_losses_and_parameters(mnist, digits):
    digits(64 * 21)
    with np.printoptions():  # the program sets a precision
        printed = mnist("dygraph_1_5/train_and_watch.py")
    found = losses(printed, r"Loss at step \d+: ")
    assert len(found) == 10 and abs(found[0] - 2.302) < 0.05
    assert losses(printed, "Final loss: ")[0] < 0.5
    assert "_simple_img_conv_pool_1_conv2d W's mean is: " in printed
    assert "_simple_img_conv_pool_1_conv2d Bias's mean is: " in printed
    assert len(mnist["dy_param_value"]) == 6


def test_the_parallel_training_runs_in_one_process(mnist, digits):
    digits(64 * 6)
    mnist.text("from paddle.fluid.optimizer import AdamOptimizer\nfrom paddle.fluid.dygraph.base import to_variable")
    mnist.text("BATCH_SIZE, epoch_num = 64, 1")
    mnist("dygraph_1_5/data_parallel.py")
    assert float(mnist["avg_loss"].numpy()[0]) < 2.1  # it begins at 2.3


def test_parameters_are_saved_and_loaded_while_training(mnist, digits):
    digits(64 * 21)
    with np.printoptions():
        assert mnist("dygraph_1_5/save_and_load.py") == "model save and load success? True\n"


def test_the_model_is_trained_tested_saved_loaded_and_reads_a_picture(mnist, digits, tmp_path):
    digits(64 * 30, 64 * 4)
    three = next(image for image, label in paddle.dataset.mnist.test()() if label == 3)
    (tmp_path / "image").mkdir()
    pixels = ((three.reshape(28, 28) + 1) / 2 * 255).astype(np.uint8)
    Image.fromarray(pixels).resize((280, 280)).save(tmp_path / "image" / "infer_3.png")
    printed = mnist("dygraph_1_5/evaluate.py").split("\n")
    assert printed[0].startswith("Loss at epoch 0 step 0: [2.")
    accuracy = float(re.fullmatch(r"Loss at epoch 0 , Test avg_loss is: .*, acc is: (.*)", printed[1]).group(1))
    assert accuracy > 0.85
    assert [line for line in printed[2:] if not line.startswith("No optimizer loaded")] == [
        "checkpoint saved", "checkpoint loaded", "Inference result of image/infer_3.png is: 3", "",
    ]  # fmt: skip


def test_the_same_layers_build_a_static_program(mnist, digits):
    digits(64 * 10)
    mnist("dygraph_1_5/static.py")
    assert mnist["static_out"].shape == (1,)
    assert 2.0 < mnist["static_out"][0] < 2.4  # SGD at 0.001 has hardly begun
