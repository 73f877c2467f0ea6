"""Quantization of a small network with fluid.contrib.slim: the graphs of every stage, and what they compute."""

import re

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.contrib.slim.quantization import (
    AddQuantDequantPass,
    ConvertToInt8Pass,
    OutScaleForInferencePass,
    OutScaleForTrainingPass,
    QuantizationFreezePass,
    QuantizationTransformPass,
    TransformForMobilePass,
)
from paddle.fluid.framework import IrGraph

SHOWN = (
    "bit_length", "window_size", "moving_rate", "max_range", "quant_bits", "quantization_type", "skip_quant",
    "out_threshold", "activation_bits", "step",
)  # fmt: skip


def network(stopped=True):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        image, label = fluid.data("image", [None, 2, 8, 8]), fluid.data("label", [None, 1], "int64")
        image.stop_gradient = stopped
        x = fluid.layers.conv2d(image, 4, 3, padding=1, bias_attr=False)
        x = fluid.layers.batch_norm(x, act="relu")
        with fluid.name_scope("skip_quant"):
            skipped = fluid.layers.conv2d(x, 4, 3, padding=1, act="relu")
        deep = fluid.layers.conv2d(x, 4, 3, groups=4, padding=1, use_cudnn=False)
        pooled = fluid.layers.pool2d(skipped + deep, 2, "avg", 2)
        predicted = fluid.layers.fc(pooled, 3, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))
        test = main.clone(for_test=True)
        fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    return main, startup, test, predicted.name, loss.name


def set_weights(scope, main):
    random = np.random.RandomState(7)
    for name in sorted(p.name for p in main.all_parameters()):
        tensor = scope.find_var(name).get_tensor()
        value = (random.randn(*np.array(tensor).shape) * 0.5).astype("float32")
        tensor.set(np.abs(value) if name == "batch_norm_0.w_2" else value, fluid.CPUPlace())


def batch():
    image = np.random.RandomState(1).randn(4, 2, 8, 8).astype("float32")
    return {"image": image, "label": np.array([[0], [1], [2], [1]])}


def lines(program):
    """The operators as sorted lines, without the numbers of states: those are as a set happens to be ordered."""
    numbered = r"'((quant_dequant\.)?(state|accum|scales)|scale_(state|accum)@|channel_scale)_\d+'"
    texts = []
    for op in program.global_block().ops:
        attrs = {n: op.attr(n) for n in SHOWN if n in op.attr_names and op.attr(n) is not None}
        attrs = {n: "%.5g" % v if isinstance(v, float) else int(v) if v is True else v for n, v in attrs.items()}
        slots = [{s: get(s) for s in sorted(names) if get(s)} for names, get in
                 ((op.input_names, op.input), (op.output_names, op.output))]  # fmt: skip
        line = "%s %s -> %s %s" % (op.type, slots[0], slots[1], sorted(attrs.items()))
        texts.append(re.sub(numbered, r"'\1'", line))
    return sorted(texts)


def first(run):
    return np.array(run[0]).ravel().astype("float64").round(6).tolist()


def stages(activations, weights):
    """What each pass changes, and what the graphs compute."""
    main, startup, test, predicted, loss = network()
    before = set(lines(main)) | set(lines(test))
    scope, place = fluid.Scope(), fluid.CPUPlace()
    exe = fluid.Executor(place)
    outcomes = {}

    def note(name, graph):
        outcomes[name] = [line for line in lines(graph.to_program()) if line not in before]
        before.update(outcomes[name])

    with fluid.scope_guard(scope), fluid.unique_name.guard():
        exe.run(startup)
        set_weights(scope, main)
        training, testing = IrGraph(core.Graph(main.desc)), IrGraph(core.Graph(test.desc), for_test=True)
        transform = QuantizationTransformPass(
            scope, place, activation_quantize_type=activations, weight_quantize_type=weights, window_size=4
        )
        for graph in (training, testing):
            transform.apply(graph)
            AddQuantDequantPass(scope, place).apply(graph)
        OutScaleForTrainingPass(scope, place).apply(training)
        note("train", training)
        note("test", testing)
        program = training.to_program()
        outcomes["losses"] = [first(exe.run(program, feed=batch(), fetch_list=[loss]))[0] for _ in range(5)]
        outcomes["tested"] = first(exe.run(testing.to_program(), feed=batch(), fetch_list=[predicted]))
        QuantizationFreezePass(scope, place, weight_quantize_type=weights).apply(testing)
        OutScaleForInferencePass(scope).apply(testing)
        note("frozen", testing)
        outcomes["frozen_answer"] = first(exe.run(testing.to_program(), feed=batch(), fetch_list=[predicted]))
        ConvertToInt8Pass(scope, place).apply(testing)
        note("int8", testing)
        outcomes["int8_weight"] = np.array(scope.find_var("conv2d_0.w_0.int8").get_tensor()).ravel().tolist()
        TransformForMobilePass().apply(testing)
        note("mobile", testing)
        outcomes["variables"] = sorted(v.name for v in testing.to_program().list_vars())
    return outcomes


def functions():
    """Activations that a function of the user's own clips before they are quantized; what it learns is trained."""

    def clipped(x):
        limit = fluid.layers.create_parameter(
            [1], "float32", name=x.name + "_limit", default_initializer=fluid.initializer.ConstantInitializer(1.5)
        )
        return fluid.layers.elementwise_min(fluid.layers.relu(x), limit)

    def halved(w):
        return fluid.layers.scale(w, 0.5)

    main, startup, test, predicted, loss = network(stopped=False)  # 1.8.5 fails without a gradient of the image
    scope, place = fluid.Scope(), fluid.CPUPlace()
    exe = fluid.Executor(place)
    with fluid.scope_guard(scope), fluid.unique_name.guard():
        exe.run(startup)
        set_weights(scope, main)
        training, testing = IrGraph(core.Graph(main.desc)), IrGraph(core.Graph(test.desc), for_test=True)
        for graph in (training, testing):  # 1.8.5 fails where one pass rewrites both
            QuantizationTransformPass(
                scope, place, activation_quantize_type="moving_average_abs_max", act_preprocess_func=clipped,
                weight_preprocess_func=halved, executor=exe, optimizer_func=lambda: fluid.optimizer.SGD(0.1),
            ).apply(graph)  # fmt: skip
        program = training.to_program()
        losses = [first(exe.run(program, feed=batch(), fetch_list=[loss]))[0] for _ in range(5)]
        limit = first([np.array(scope.find_var("image_tmp_input_limit").get_tensor())])
        tested = first(exe.run(testing.to_program(), feed=batch(), fetch_list=[predicted]))
        kinds = sorted(op.type for op in program.global_block().ops)
    return {"losses": losses, "limit": limit, "tested": tested, "kinds": kinds}


CASES = {
    "by_batch": lambda: stages("abs_max", "abs_max"),
    "by_window": lambda: stages("range_abs_max", "abs_max"),
    "by_average": lambda: stages("moving_average_abs_max", "channel_wise_abs_max"),
    "functions": functions,
}
