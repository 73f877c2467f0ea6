"""Networks trained for integers. Programs are compared with 1.8.5's in tests/models/test_programs_equal.py."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.contrib.quantize.quantize_transpiler import QuantizeTranspiler

KINDS = ("abs_max", "range_abs_max", "moving_average_abs_max")


def network():
    image, label = fluid.data("image", [-1, 1, 6, 6]), fluid.data("label", [-1, 1], "int64")
    x = layers.pool2d(layers.conv2d(image, 3, 3, act="relu"), 2, pool_stride=2)
    predicted = layers.fc(x, 4, act="softmax")
    return predicted, layers.mean(layers.cross_entropy(predicted, label))


def batches(count):
    random = np.random.RandomState(0)
    return [
        {"image": random.randn(4, 1, 6, 6).astype("float32"), "label": random.randint(0, 4, (4, 1))}
        for _ in range(count)
    ]


def value(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor())


def trained(transpiler, steps=5):
    """(the losses, the prediction's name, the program for testing) after a few steps from fixed weights."""
    main, startup = fluid.default_main_program(), fluid.default_startup_program()
    predicted, loss = network()
    fluid.optimizer.SGD(0.1).minimize(loss)
    transpiler.training_transpile(main, startup)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    for i, name in enumerate(sorted(p.name for p in main.all_parameters() if not p.name.endswith(".scale"))):
        weights = np.random.RandomState(i).uniform(-1, 1, main.global_block().var(name).shape).astype("float32")
        fluid.global_scope().find_var(name).get_tensor().set(weights, fluid.CPUPlace())
    losses = [exe.run(main, feed=feed, fetch_list=[loss])[0].item() for feed in batches(steps)]
    return losses, predicted.name, main.clone(for_test=True)._prune([predicted])


# Recorded from 1.8.5.
LOSSES = {
    ("abs_max", "abs_max"): [9.2696, 5.6828, 1.4703, 4.3208, 1.9781],
    ("range_abs_max", "abs_max"): [9.2696, 5.6348, 1.4633, 4.2908, 2.0006],
    ("moving_average_abs_max", "range_abs_max"): [8.183, 6.038, 1.3689, 4.3785, 1.9742],
}


@pytest.mark.parametrize("activations", KINDS)
@pytest.mark.parametrize("weights", KINDS)
def test_a_frozen_program_predicts_what_the_trained_one_does(activations, weights):
    transpiler = QuantizeTranspiler(activation_quantize_type=activations, weight_quantize_type=weights, window_size=3)
    losses, predicted, test = trained(transpiler)
    if (activations, weights) in LOSSES:
        assert np.allclose(losses, LOSSES[activations, weights], atol=2e-4)
    exe = fluid.Executor(fluid.CPUPlace())
    feed = {"image": batches(5)[-1]["image"]}
    (before,) = exe.run(test, feed=feed, fetch_list=[predicted])
    transpiler.freeze_program(test, fluid.CPUPlace())
    (after,) = exe.run(test, feed=feed, fetch_list=[predicted])
    assert np.allclose(before, after, atol=0.01)
    types = [op.type for op in test.global_block().ops if op.type.startswith("fake_")]
    assert types == [f"fake_quantize_{activations}", "fake_dequantize_max_abs"] * 2
    for name in ("conv2d_0.w_0", "fc_0.w_0"):
        assert (value(name) == np.round(value(name))).all() and np.abs(value(name)).max() <= 127
    transpiler.convert_to_int8(test, fluid.CPUPlace())
    assert value("fc_0.w_0.int8").dtype == np.int8 and (value("fc_0.w_0.int8") == value("fc_0.w_0")).all()
    assert test.global_block().has_var("fc_0.w_0.int8") and not test.global_block().has_var("fc_0.w_0")


def test_fewer_bits_leave_fewer_weights():
    transpiler = QuantizeTranspiler(weight_bits=3)
    _, _, test = trained(transpiler)
    transpiler.freeze_program(test, fluid.CPUPlace())
    assert set(np.unique(value("fc_0.w_0"))) <= set(range(-3, 4))


def test_a_frozen_program_can_be_saved_and_loaded(tmp_path):
    transpiler = QuantizeTranspiler(activation_quantize_type="moving_average_abs_max")
    _, predicted, test = trained(transpiler)
    transpiler.freeze_program(test, fluid.CPUPlace())
    exe = fluid.Executor(fluid.CPUPlace())
    feed = {"image": batches(1)[0]["image"]}
    (expected,) = exe.run(test, feed=feed, fetch_list=[predicted])
    target = test.global_block().var(predicted)
    fluid.io.save_inference_model(str(tmp_path), ["image"], [target], exe, main_program=test)
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
        (found,) = exe.run(program, feed=feed, fetch_list=fetches)
    assert feeds == ["image"] and np.array_equal(found, expected)


def test_a_weight_that_two_blocks_read_becomes_integers_once():
    x = fluid.data("x", [2, 3])
    rnn = layers.StaticRNN()
    first = layers.fc(x, 3, param_attr="shared", bias_attr=False)
    steps = layers.stack([first, first])
    with rnn.step():
        step = rnn.step_input(steps)
        rnn.step_output(layers.fc(step, 3, param_attr="shared", bias_attr=False))
    out = rnn()
    transpiler = QuantizeTranspiler()
    transpiler.training_transpile()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"x": np.array([[1, -2, 3], [0.5, 0, 1]], "float32")}
    test = fluid.default_main_program().clone(for_test=True)
    (before,) = exe.run(test, feed=feed, fetch_list=[out])
    transpiler.freeze_program(test, fluid.CPUPlace())
    (after,) = exe.run(test, feed=feed, fetch_list=[out.name])
    assert np.allclose(before, after, atol=1e-4) and np.abs(value("shared")).max() == 127


def freeze_of_a_plain_program():
    network()
    test = fluid.default_main_program().clone(for_test=True)
    fluid.Executor(fluid.CPUPlace()).run(fluid.default_startup_program())
    QuantizeTranspiler().freeze_program(test, fluid.CPUPlace())


def int8_without_freezing():
    transpiler = QuantizeTranspiler()
    _, _, test = trained(transpiler, steps=1)
    test.global_block().ops[:] = [op for op in test.global_block().ops if op.type != "fake_dequantize_max_abs"]
    for op in test.global_block().ops:
        op._rename_input("fc_0.w_0.quantized.dequantized", "fc_0.w_0")
    transpiler.convert_to_int8(test)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: QuantizeTranspiler(weight_quantize_type="mean"), "weight_quantize_type must be one of abs_max, range"),
        (lambda: QuantizeTranspiler(weight_bits=40), "a number of bits must be from 2 to 16, got 40"),
        (lambda: QuantizeTranspiler(weight_bits=9).convert_to_int8(fluid.Program()), "9 bits do not fit into int8"),
        (lambda: QuantizeTranspiler().freeze_program(fluid.Program(), fuse_bn=True), "fuse_bn must be False"),
        (freeze_of_a_plain_program, "conv2d conv2d_0.tmp_0 has no quantized weight and input"),
        (int8_without_freezing, "fc_0.w_0 is not of integers; call freeze_program first"),
    ],
)
def test_refusals(call, says):
    with pytest.raises(ValueError, match=says):
        call()
