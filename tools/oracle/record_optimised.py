"""Models that the predictor of Fluid 1.8.5 has optimised, with what they give: python tools/oracle/record_optimised.py

Writes tests/fixtures/optimised/<name>/: `model` and `params` as the predictor saved them after its passes, and
`outputs.json`: `{"feed": {name: array with "lod"}, "outputs": [array], "ops": [types]}`.
"""

import os
import shutil
import tempfile

import numpy as np
from arrays import array, write
from record_models import strip

import paddle.fluid as fluid

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "optimised")
layers = fluid.layers
LENGTHS = [3, 1, 2]


def steps():
    return fluid.data("x", [None, 6], lod_level=1)


def words(name):
    return fluid.data(name, [None, 1], "int64", lod_level=1)


def embedded_lstm():
    x = words("x")
    # With a bias, 1.8.5 saves a model that it cannot run itself: it leaves the sum of the two biases out.
    projected = layers.fc(layers.embedding(x, [20, 6]), 16, bias_attr=False)
    hidden, _ = layers.dynamic_lstm(projected, 16, use_peepholes=False)
    return [x], layers.fc(layers.sequence_pool(hidden, "max"), 3, act="softmax")


def backward_lstm():
    x = steps()
    hidden, _ = layers.dynamic_lstm(layers.fc(x, 16, bias_attr=False), 16, is_reverse=True)
    return [x], layers.sequence_pool(hidden, "first")


def gru():
    x = steps()
    return [x], layers.sequence_pool(layers.dynamic_gru(layers.fc(x, 12), 4), "last")


def sequence_convolution():
    x = steps()
    return [x], layers.sequence_pool(layers.sequence_conv(x, 5, 3, act="relu"), "sum")


def perceptron():
    x = hidden = fluid.data("x", [None, 6])
    for width in (5, 4, 3):
        hidden = layers.fc(hidden, width, act="relu")
    return [x], layers.fc(hidden, 2)


def clicks():
    ids, counts = [words("x%d" % i) for i in range(3)], fluid.data("counts", [None, 2])
    pooled = [layers.sequence_pool(layers.embedding(x, [20, 4]), "sum") for x in ids]
    return ids + [counts], layers.concat([layers.continuous_value_model(x, counts, True) for x in pooled], 1)


def images():
    x = fluid.data("x", [None, 3, 8, 8])
    first = layers.conv2d(x, 4, 3, padding=1, act="relu")
    second = layers.elementwise_add(layers.conv2d(first, 4, 3, padding=1), first, act="relu")
    return [x], layers.relu6(layers.scale(layers.conv2d(second, 2, 1), 10.0))


def clipped():
    x = fluid.data("x", [None, 3, 8, 8])
    return [x], layers.relu6(layers.conv2d(layers.leaky_relu(layers.conv2d(x, 4, 3), 0.3), 2, 3))


ONEDNN = [images, clipped]
MODELS = [embedded_lstm, backward_lstm, gru, sequence_convolution, perceptron, clicks, *ONEDNN]


def fed(var, random):
    if var.dtype == fluid.core.VarDesc.VarType.INT64:
        data = random.randint(0, 20, (sum(LENGTHS), 1)).astype("int64")
    elif len(var.shape) == 4:
        data = np.round(random.uniform(-1, 1, (2, *var.shape[1:])), 3).astype("float32")
    else:
        rows = sum(LENGTHS) if var.lod_level else len(LENGTHS)
        data = np.round(random.uniform(0, 1, (rows, var.shape[1])), 3).astype("float32")
    return data, [LENGTHS] if var.lod_level else None


def save(build, folder):
    """Save an inference model; its feeds and what it gives for them."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        inputs, out = build()
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for var in main.all_parameters():  # the tables of counts, above all, must not be negative
            tensor = fluid.global_scope().find_var(var.name).get_tensor()
            tensor.set(np.abs(np.array(tensor)) if "embedding" in var.name else np.array(tensor), fluid.CPUPlace())
        random = np.random.RandomState(3)
        feed = {var.name: fed(var, random) for var in inputs}
        tensors = {n: fluid.create_lod_tensor(d, l, fluid.CPUPlace()) if l else d for n, (d, l) in feed.items()}
        outs = exe.run(main.clone(for_test=True), feed=tensors, fetch_list=[out])
        fluid.io.save_inference_model(folder, list(feed), [out], exe, main)
    return {name: dict(array(data), lod=lengths) for name, (data, lengths) in feed.items()}, outs


def optimise(folder, target, onednn):
    """Let the predictor load a model, rewrite it and save what it runs; the types of its operators."""
    config = fluid.core.AnalysisConfig(folder)
    config.disable_gpu()
    config.disable_glog_info()
    if onednn:
        config.enable_mkldnn()
    fluid.core.create_paddle_predictor(config).SaveOptimModel(target)
    strip(os.path.join(target, "model"))
    with open(os.path.join(target, "model"), "rb") as file:
        return [op.type for op in fluid.Program.parse_from_string(file.read()).global_block().ops]


def main():
    for build in MODELS:
        target = os.path.join(TARGET, build.__name__)
        shutil.rmtree(target, ignore_errors=True)
        os.makedirs(target)
        folder = tempfile.mkdtemp()
        feed, outs = save(build, folder)
        types = optimise(folder, target, build in ONEDNN)
        shutil.rmtree(folder)
        write(
            os.path.join(target, "outputs.json"), {"feed": feed, "outputs": [array(out) for out in outs], "ops": types}
        )
        print(build.__name__, types)


if __name__ == "__main__":
    main()
