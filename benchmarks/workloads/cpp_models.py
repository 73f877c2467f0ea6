"""The networks of infer_fluid.py, exported once for C++ and onnxruntime into the benchmarks' cache.

A step predicts the digits 50 times, ResNet once: a step that asks another process costs some 30 us by itself.
"""

import hashlib
import os
from pathlib import Path

import torch

import paddle.fluid as fluid
import refluid.export.to_cpp as to_cpp
from environments import HOME
from refluid.export.command import export
from workloads.infer_fluid import SIZE, lenet, resnet

NETWORKS = {"lenet": (lenet, [1, 28, 28], 50), "resnet": (resnet, [3, SIZE, SIZE], 1)}


def exported(name):
    """The folder of the model with its package, and the path of the ONNX file beside it."""
    network, shape, _ = NETWORKS[name]
    digest = hashlib.sha256(torch.__version__.encode())
    for path in sorted(Path(to_cpp.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    folder = str(HOME / "packages" / (name + "-" + digest.hexdigest()[:12]))
    if not os.path.exists(folder + ".onnx"):
        main, startup = fluid.Program(), fluid.Program()
        main.random_seed = startup.random_seed = 1
        with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
            prediction = network(fluid.data(name="image", shape=[None, *shape], dtype="float32"))
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup)
            fluid.io.save_inference_model(folder, ["image"], [prediction], exe, main)
        export(folder, "cpp")
        export(folder, "onnx")  # last: its file says that all is there
    return folder, folder + ".onnx"
