"""Generated functions: whatever control flow stands in whatever other, translated is as plain."""

import importlib.util

import numpy as np
import pytest
from tests.jit.generated import Writer

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import declarative, to_variable


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def run(function, numbers, n, k):
    given = [to_variable(np.array([number], "float32")) for number in numbers]
    for one in given:
        one.stop_gradient = False
    out = function(*given, to_variable(np.array([n], "int64")), k)
    layers.reduce_sum(out * out).backward()
    grads = [one.gradient() for one in given]
    return out.numpy(), [np.zeros(1, "float32") if grad is None else grad for grad in grads]


@pytest.mark.parametrize("seed", range(24))
def test_a_generated_function_computes_the_same_translated(seed, tmp_path):
    path = tmp_path / f"generated_{seed}.py"
    path.write_text(Writer(seed).source())
    plain = load(path)
    translated = declarative(plain)
    random = np.random.RandomState(seed)
    with fluid.dygraph.guard():
        k = random.randint(0, 4)
        for _ in range(3):
            numbers, n = random.uniform(-3, 3, 3), random.randint(0, 4)
            out, grads = run(plain, numbers, n, k)
            if not np.all(np.abs([out, *grads]) < 1e4):
                continue  # numbers so large that their last digits differ
            ours, our_grads = run(translated, numbers, n, k)
            np.testing.assert_allclose(ours, out, rtol=1e-4, atol=1e-5, err_msg=path.read_text())
            np.testing.assert_allclose(our_grads, grads, rtol=1e-3, atol=1e-4, err_msg=path.read_text())
