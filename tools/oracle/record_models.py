"""Saved models of Fluid 1.8.5 and of Refluid, and the check that one loads what the other saved.

    python tools/oracle/record_models.py write FOLDER [model ...]
    python tools/oracle/record_models.py check FOLDER [model ...]

Both run under either engine. Under 1.8.5, `write tests/fixtures/models` makes the fixtures; the way back is `write`
with Refluid and `check` with 1.8.5, which also runs the models in its C++ predictor.
"""

import json
import os
import shutil
import sys

import numpy as np
from models import MODELS, Digits, digits_optimizer, digits_step, numbers

import paddle.fluid as fluid

STEPS = 3
# With a file per parameter too; the others have too many of them.
SEPARATE = {"linear", "lenet", "normalized", "sentiment", "word2vec", "looping"}
COMBINED = ("model", "params")
RANDOM = {"normalized"}  # the dropout of two engines differs


def build(name):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        return (main, startup) + tuple(MODELS[name]())


def as_feed(fed):
    place = fluid.CPUPlace()
    return {k: fluid.create_lod_tensor(v[0], v[1], place) if isinstance(v, tuple) else v for k, v in fed.items()}


def write(folder, name):
    """Train a few steps and save in every format."""
    target = os.path.join(folder, name)
    shutil.rmtree(target, ignore_errors=True)
    main, startup, fed, feeds, targets, loss = build(name)
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup):
        exe.run(startup)
        for _ in range(STEPS if loss is not None else 0):
            exe.run(main, feed=as_feed(fed), fetch_list=[loss])
        with fluid.unique_name.guard():
            if name in SEPARATE:
                fluid.io.save_inference_model(os.path.join(target, "separate"), feeds, targets, exe, main)
        with fluid.unique_name.guard():
            fluid.io.save_inference_model(
                os.path.join(target, "combined"), feeds, targets, exe, main, "model", "params"
            )
        fluid.io.save_persistables(exe, target, main, filename="persistables")
        fluid.save(main, os.path.join(target, "saved"))
        record = {
            "feeds": feeds,
            "outputs": run_inference(exe, os.path.join(target, "combined"), feeds, fed, *COMBINED),
        }
        # the training goes on from what was saved
        record["losses"] = [
            exe.run(main, feed=as_feed(fed), fetch_list=[loss])[0].item()
            for _ in range(STEPS if loss is not None else 0)
        ]
    strip(os.path.join(target, "combined", "model"), os.path.join(target, "saved.pdmodel"))
    if name in SEPARATE:
        strip(os.path.join(target, "separate", "__model__"))
    with open(os.path.join(target, "outputs.json"), "w") as file:
        json.dump(record, file, separators=(",", ":"))
        file.write("\n")


def run_inference(exe, folder, feeds, fed, *names):
    """The outputs of a saved model, run in a scope of its own."""
    with fluid.scope_guard(fluid.Scope()):
        program, got_feeds, targets = fluid.io.load_inference_model(folder, exe, *names)
        assert got_feeds == feeds, (got_feeds, feeds)
        feed = {k: v for k, v in as_feed(fed).items() if k in feeds}
        return [np.array(value).tolist() for value in exe.run(program, feed=feed, fetch_list=targets)]


def check(folder, name):
    """Load everything that `write` wrote, with whichever engine; returns the largest difference of outputs."""
    target = os.path.join(folder, name)
    with open(os.path.join(target, "outputs.json")) as file:
        record = json.load(file)
    main, startup, fed, feeds, _, loss = build(name)
    exe = fluid.Executor(fluid.CPUPlace())
    results = [run_inference(exe, os.path.join(target, "combined"), feeds, fed, *COMBINED)]
    if name in SEPARATE:
        results.append(run_inference(exe, os.path.join(target, "separate"), feeds, fed))
    if hasattr(fluid.core, "AnalysisConfig"):
        results.append(run_predictor(os.path.join(target, "combined"), feeds, fed))
    gaps = [difference(record["outputs"], result) for result in results]
    for load in (
        lambda: fluid.io.load_persistables(exe, target, main, filename="persistables"),
        lambda: fluid.load(main, os.path.join(target, "saved"), exe),
    ):
        with fluid.scope_guard(fluid.Scope()):
            exe.run(startup)
            load()
            if loss is not None and name not in RANDOM:
                losses = [exe.run(main, feed=as_feed(fed), fetch_list=[loss])[0].item() for _ in range(STEPS)]
                gaps.append(difference(record["losses"], losses))
    return max(gaps)


def run_predictor(folder, feeds, fed):
    """The same model in the predictor that C++ programs use."""
    config = fluid.core.AnalysisConfig(os.path.join(folder, "model"), os.path.join(folder, "params"))
    config.disable_gpu()
    config.disable_glog_info()
    predictor = fluid.core.create_paddle_predictor(config)
    tensors = []
    for name in feeds:
        array, lengths = fed[name] if isinstance(fed[name], tuple) else (fed[name], None)
        tensor = fluid.core.PaddleTensor(array)
        tensor.name = name
        if lengths is not None:
            tensor.lod = [np.cumsum([0] + level).tolist() for level in lengths]
        tensors.append(tensor)
    return [out.as_ndarray().tolist() for out in predictor.run(tensors)]


def difference(expected, got):
    if len(expected) != len(got):
        return float("inf")
    pairs = [(np.array(left), np.array(right)) for left, right in zip(expected, got)]
    return max((abs(a - b) / (1 + abs(a))).max() if a.shape == b.shape and a.size else float("inf") for a, b in pairs)


def write_imperative(folder, name):
    """The state of a layer and of its optimizer with a schedule, after a few steps."""
    target = os.path.join(folder, name)
    shutil.rmtree(target, ignore_errors=True)
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        net = Digits()
        optimizer = digits_optimizer(net)
        for _ in range(STEPS):
            digits_step(net, optimizer)
        fluid.save_dygraph(net.state_dict(), os.path.join(target, "state"))
        fluid.save_dygraph(optimizer.state_dict(), os.path.join(target, "state"))
        record = {"outputs": imperative_outputs(net), "losses": [digits_step(net, optimizer) for _ in range(STEPS)]}
    with open(os.path.join(target, "outputs.json"), "w") as file:
        json.dump(record, file, separators=(",", ":"))
        file.write("\n")


def check_imperative(folder, name):
    target = os.path.join(folder, name)
    with open(os.path.join(target, "outputs.json")) as file:
        record = json.load(file)
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        net = Digits()
        optimizer = digits_optimizer(net)
        model_state, optimizer_state = fluid.load_dygraph(os.path.join(target, "state"))
        net.set_dict(model_state)
        optimizer.set_dict(optimizer_state)
        outputs = imperative_outputs(net)
        losses = [digits_step(net, optimizer) for _ in range(STEPS)]
    return max(difference(record["outputs"], outputs), difference(record["losses"], losses))


def imperative_outputs(net):
    net.eval()
    with fluid.dygraph.no_grad():
        outputs = net(fluid.dygraph.to_variable(numbers(2, 1, 8, 8, seed=5))).numpy().tolist()
    net.train()
    return [outputs]


def strip(*paths):
    """Take out of program files where their operators were written: paths of the machine that recorded them."""
    try:
        from paddle.fluid.proto import framework_pb2
    except ImportError:  # Refluid writes none
        return
    for path in paths:
        desc = framework_pb2.ProgramDesc()
        with open(path, "rb") as file:
            desc.ParseFromString(file.read())
        for block in desc.blocks:
            for op in block.ops:
                kept = [attr for attr in op.attrs if attr.name != "op_callstack"]
                del op.attrs[:]
                op.attrs.extend(kept)
        with open(path, "wb") as file:
            file.write(desc.SerializeToString())


def main(action, folder, *names):
    actions = {"write": (write, write_imperative), "check": (check, check_imperative)}[action]
    for name in names or list(MODELS) + ["imperative"]:
        result = actions[name == "imperative"](folder, name)
        print(name, action, "" if result is None else "largest difference %.3g" % result)
        if result is not None and not result < 1e-5:
            sys.exit("%s: the outputs differ" % name)


if __name__ == "__main__":
    main(*sys.argv[1:])
