"""Saved models as models of integers with fluid.contrib.slim: the scales that are found, and what they compute."""

import os
import tempfile

import numpy as np
from slim_quantization import batch, first, network, set_weights

import paddle.fluid as fluid
from paddle.fluid.contrib.slim.quantization import PostTrainingQuantization, WeightQuantization

NOTED = ("out_threshold", "out_min", "out_max", "quantize_weight_bits")


def saved(folder):
    """A trained network in a folder."""
    main, startup, test, predicted, _ = network()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    set_weights(fluid.global_scope(), main)
    target = [test.global_block().var(predicted)]
    fluid.io.save_inference_model(folder, ["image"], target, exe, test, "model", "params")
    return exe


def samples():
    random = np.random.RandomState(5)
    for _ in range(20):
        yield (random.randn(2, 8, 8).astype("float32"),)


def answers(exe, folder):
    program, _, fetches = fluid.io.load_inference_model(folder, exe, "model", "params")
    return program, first(exe.run(program, feed={"image": batch()["image"]}, fetch_list=fetches))


def operators(program):
    """Without those that 1.8.5 writes into files to mark what is fed and fetched."""
    ops = program.global_block().ops
    return [op for op in ops if op.type not in ("feed", "fetch") and "save_infer_model" not in op.output_arg_names[0]]


def noted(program):
    """What is noted on the operators; floats with six digits."""
    scales = {}
    for op in operators(program):
        for name in op.attr_names:
            if name in NOTED or name.endswith((".min", ".max", "_quant_scale")):
                value = op.attr(name)
                value = value if isinstance(value, list) else [value]
                scales["%s %s %s" % (op.type, sorted(op.output_arg_names)[0], name)] = [
                    float("%.6g" % v) for v in value
                ]
    return scales


def post_training(algo, activations="range_abs_max", weights="channel_wise_abs_max", full=False):
    with tempfile.TemporaryDirectory() as folder, fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        exe = saved(os.path.join(folder, "float"))
        quantization = PostTrainingQuantization(
            executor=exe, scope=fluid.global_scope(), model_dir=os.path.join(folder, "float"), model_filename="model",
            params_filename="params", sample_generator=samples, batch_size=4, batch_nums=3, algo=algo,
            activation_quantize_type=activations, weight_quantize_type=weights, is_full_quantize=full,
        )  # fmt: skip
        program = quantization.quantize()
        quantization.save_quantized_model(os.path.join(folder, "int"), "model", "params")
        scales = {
            var.name: [float("%.6g" % v) for v in np.array(fluid.global_scope().find_var(var.name).get_tensor())]
            for var in program.list_vars()
            if var.persistable and ".scale" in var.name
        }
        kinds = sorted(op.type for op in operators(program))
        read, answer = answers(exe, os.path.join(folder, "int"))
        return {"kinds": kinds, "scales": scales, "noted": noted(read), "answer": answer}


def weights_alone(bits, kind, rate):
    with tempfile.TemporaryDirectory() as folder, fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        exe = saved(os.path.join(folder, "float"))
        WeightQuantization(os.path.join(folder, "float"), "model", "params").quantize_weight_to_int(
            os.path.join(folder, "int"), "model", "params", weight_bits=bits, weight_quantize_type=kind,
            generate_test_model=True, threshold_rate=rate,
        )  # fmt: skip
        _, answer = answers(exe, os.path.join(folder, "int", "test_model"))
        read = fluid.io.load_inference_model(os.path.join(folder, "int", "quantized_model"), exe, "model", "params")[0]
        weight = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
        return {"answer": answer, "noted": noted(read), "weight": weight.ravel().tolist(), "dtype": str(weight.dtype)}


CASES = {
    "kl": lambda: post_training("KL"),
    "abs_max_by_average": lambda: post_training("abs_max", "moving_average_abs_max", "abs_max"),
    "abs_max_of_all": lambda: post_training("abs_max", full=True),
    "min_max": lambda: post_training("min_max"),
    "weights_int8": lambda: weights_alone(8, "channel_wise_abs_max", 0.0),
    "weights_int16_cut": lambda: weights_alone(16, "abs_max", 0.05),
}
