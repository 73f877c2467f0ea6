"""Generated layers: whatever Python stands in whatever other, translated is as plain, and so are its other forms.

`python -m tests.jit.test_generated 1000 3000` runs larger ones, of the numbers 1000 to 3000, and tells what differs.
"""

import ast
import importlib.util
import pathlib
import sys
import tempfile
import types

import numpy as np
import pytest
from tests.jit.generated import Writer

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import ProgramTranslator, declarative, to_variable


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Net()


def flat(value):
    parts = value.values() if isinstance(value, dict) else value
    return [one for part in parts for one in flat(part)] if isinstance(value, dict | list | tuple) else [value]


def run(net, function, arrays, n, k):
    """Outputs, and gradients of inputs and parameters."""
    given = [to_variable(array) for array in arrays]
    for one in given:
        one.stop_gradient = False
    for parameter in net.parameters():  # cleared ones would read as zeros where they take no part
        parameter._as_leaf().grad, parameter._reads_zeros = None, False
    outs = flat(function(*given, to_variable(n), k))
    sum(layers.reduce_sum(out * out) for out in outs).backward()
    return [out.numpy() for out in outs], [one.gradient() for one in (*given, *net.parameters())]


def check(seed, folder, size, calls):
    writer = Writer(seed, size)
    path = folder / f"generated_{seed}.py"
    path.write_text(writer.source())
    # Long chains of float32 numbers drift with the order of sums; it is in float64 that a wrong term cannot hide.
    tolerance = {"rtol": 1e-6, "atol": 1e-9} if writer.dtype == "float64" else {"rtol": 1e-4, "atol": 1e-5}
    tolerance["err_msg"] = f"{path}: {path.read_text()}"
    random = np.random.RandomState(seed)
    translator = ProgramTranslator()
    with fluid.dygraph.guard():
        net = load(path)
        translated = types.MethodType(declarative(type(net).forward), net)
        k = random.randint(0, 4)
        for _ in range(calls):
            arrays = [random.uniform(-3, 3, 1) for _ in range(3)] + [random.uniform(-2, 2, [random.randint(1, 4), 3])]
            arrays = [array.astype(writer.dtype) for array in arrays]
            n = np.array([random.randint(0, 4)], "int64")
            translator.enable(False)
            try:
                outs, grads = run(net, net.forward, arrays, n, k)
            finally:
                translator.enable(True)
            if not all(np.all(np.abs(one) < 1e4) for one in (*outs, *grads) if one is not None):
                continue  # numbers so large that their last digits differ
            ours, our_grads = run(net, translated, arrays, n, k)
            assert [one.dtype for one in ours] == [one.dtype for one in outs], path.read_text()
            for plain, other in zip(outs, ours, strict=True):
                np.testing.assert_allclose(other, plain, **tolerance)
            for plain, other in zip(grads, our_grads, strict=True):
                if plain is None or other is None:  # it took no part, or nothing but zeros came through a block
                    assert not np.any(plain) and not np.any(other), path.read_text()
                else:
                    np.testing.assert_allclose(other, plain, **tolerance)
        ast.parse(translator.get_code(type(net).forward))
        shown = flat(net.forward(*map(to_variable, arrays), to_variable(n), k))
        _, _, inputs, outputs = translator.get_program(translated, *arrays, n, k)
        if len(outputs) == len(shown):  # a list that grew is one output
            _check_saved(
                translator, folder / str(seed), inputs, [*arrays, n], [one.numpy() for one in shown], tolerance
            )


def _check_saved(translator, folder, inputs, arrays, expected, tolerance):
    """The same numbers from an inference model."""
    translator.save_inference_model(str(folder))
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(folder), exe)
        assert feeds == [one.name for one in inputs]
        found = exe.run(program, dict(zip(feeds, arrays, strict=True)), fetches)
    for plain, ours in zip(expected, found, strict=True):
        np.testing.assert_allclose(ours, plain, **tolerance)


@pytest.mark.parametrize("first", range(0, 100, 5))
def test_generated_layers_compute_the_same_translated(first, tmp_path):
    for seed in range(first, first + 5):
        check(seed, tmp_path, size=12, calls=2)


if __name__ == "__main__":
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        try:
            check(number, pathlib.Path(tempfile.mkdtemp()), size=26, calls=4)
        except Exception as error:
            print(number, type(error).__name__, str(error)[:400], flush=True)
