"""Deploy the digit recogniser in C++: export the model, build cpp/predict.cc, and compare its answers with Python's.

The model is the one that examples/digits.py (make demo) leaves in build/demo; CMake and a C++ compiler are needed.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np

import paddle
import paddle.fluid as fluid
from paddle.fluid.core import AnalysisConfig, PaddleTensor, create_paddle_predictor


def digits(count):
    """The first held-out digits [N, 1, 28, 28] and their labels."""
    samples = [sample for sample, _ in zip(paddle.dataset.mnist.test()(), range(count))]
    images = np.array([image.reshape(1, 28, 28) for image, _ in samples]).astype("float32")
    return images, np.array([label for _, label in samples])


def export(model, torchscript):
    """Write the package for C++ into the model's folder."""
    command = [sys.executable, "-m", "refluid", "export", model, "--to", "cpp"]
    subprocess.run(command + ["--torchscript"] * torchscript, check=True)


def build(source, program):
    """Compile a C++ program with the headers and the library that paddle.sysconfig names."""
    library = paddle.sysconfig.get_lib()
    command = [
        os.environ.get("CXX", "c++"), "-O2", "-std=c++11", source, "-I" + paddle.sysconfig.get_include(),
        "-L" + library, "-lpaddle_fluid", "-Wl,-rpath," + library, "-o", program,
    ]  # fmt: skip
    subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=os.path.join("build", "demo", "inference_model"), help="a saved model")
    parser.add_argument("--out", default=os.path.join("build", "cpp-demo"), help="folder for what is written")
    parser.add_argument("--torchscript", action="store_true", help="export without compiling: quicker, runs slower")
    settings = parser.parse_args()
    if not os.path.isdir(settings.model):
        parser.error(f"there is no model in {settings.model}; examples/digits.py trains one")
    os.makedirs(settings.out, exist_ok=True)
    inside = lambda name: os.path.join(settings.out, name)  # noqa: E731

    images, labels = digits(500)
    images.tofile(inside("images"))
    start = time.time()
    export(settings.model, settings.torchscript)
    print(f"exported in {time.time() - start:.0f} s")
    try:
        build(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpp", "predict.cc"), inside("predict"))
    except fluid.core.EnforceNotMet as missing:
        sys.exit(str(missing))
    subprocess.run([inside("predict"), settings.model, inside("images"), inside("probabilities")], check=True)

    by_cpp = np.fromfile(inside("probabilities"), "float32").reshape(-1, 10)
    predictor = create_paddle_predictor(AnalysisConfig(settings.model))
    (by_python,) = predictor.run([PaddleTensor(images)])
    difference = np.abs(by_cpp - by_python.as_ndarray()).max()
    print(f"C++ is right about {np.mean(by_cpp.argmax(1) == labels):.2%} of {len(labels)} held-out digits")
    print(f"largest difference between C++ and Python: {difference:.1e}")
    if difference > 1e-5:
        sys.exit("C++ and Python disagree")


if __name__ == "__main__":
    main()
