"""A function run plain and translated: same values, same gradients."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import to_variable
from refluid.jit.function import declarative


class Cases(list):
    """Functions, and what they are to be run on."""

    def __call__(self, *inputs):
        """Registers a function to be run on each of the inputs (numpy arrays, or tuples of arguments)."""

        def register(function):
            self.append((function, inputs))
            return function

        return register


def f32(*values):
    return np.array(values, "float32")


UP, DOWN = f32([1.0, 2.0], [3.0, 4.0]), f32([-1.0, -2.0], [-3.0, -4.0])
MIXED = f32([1.0, -5.0], [3.0, 0.5])


def run(function, args):
    """The outputs of a call and the gradients of its floating inputs."""
    given = [to_variable(a) if isinstance(a, np.ndarray) else a for a in args]
    tensors = [a for a, raw in zip(given, args, strict=True) if isinstance(raw, np.ndarray)]
    floating = [t for t in tensors if t.numpy().dtype == np.float32]
    for one in floating:
        one.stop_gradient = False
    out = function(*given)
    outs = list(out) if isinstance(out, tuple) else [out]
    loss = sum(layers.reduce_sum(o * o) for o in outs)
    loss.backward()
    return [o.numpy() for o in outs], [t.gradient() for t in floating]


def check(function, inputs):
    """The translated function computes what the plain one does."""
    translated = declarative(function)
    with fluid.dygraph.guard():
        for one in inputs:
            args = one if isinstance(one, tuple) else (one,)
            for round_ in range(2):  # the second call runs the program of the first
                plain, plain_grads = run(function, args)
                ours, our_grads = run(translated, args)
                assert len(plain) == len(ours)
                for a, b in zip(plain, ours, strict=True):
                    np.testing.assert_allclose(b, a, rtol=1e-6, atol=1e-6, err_msg=f"round {round_}")
                for a, b in zip(plain_grads, our_grads, strict=True):  # None: it took no part in the program
                    np.testing.assert_allclose(
                        np.zeros_like(a) if b is None else b, a, rtol=1e-6, atol=1e-6, err_msg=f"gradients, {round_}"
                    )
