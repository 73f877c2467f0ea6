"""Prediction from C++ with packages that `export --to cpp` has written: cpp_predict.cc in a process of its own."""

import atexit
import os
import subprocess
import tempfile

import paddle
from refluid.native.build import compiler
from workloads.cpp_models import NETWORKS, exported


def program():
    """cpp_predict.cc, compiled."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpp_predict.cc")
    library, target = paddle.sysconfig.get_lib(), os.path.join(tempfile.mkdtemp(), "cpp_predict")
    options = ["-O2", f"-I{paddle.sysconfig.get_include()}", f"-L{library}", "-lpaddle_fluid", f"-Wl,-rpath,{library}"]
    subprocess.run([*(compiler() or "c++").split(), source, *options, "-o", target], check=True)
    return target


def prediction(name, batch):
    _, shape, times = NETWORKS[name]
    folder, _ = exported(name)
    words = [program(), folder, str(times), str(batch), *map(str, shape)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    atexit.register(process.kill)

    def step():
        process.stdin.write(b"\n")
        return [float(process.stdout.readline()), 0.0]

    return step


def lenet_1():
    return prediction("lenet", 1)


def lenet_16():
    return prediction("lenet", 16)


def resnet_1():
    return prediction("resnet", 1)


def resnet_16():
    return prediction("resnet", 16)
