"""What py_func hands to Python functions, and what comes back."""

from typing import Any

import numpy as np
import torch

import paddle.fluid as fluid
from refluid.ops import registry
from refluid.ops.io.py_func import register
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor

CPU = torch.device("cpu")
FORWARD = registry.get("py_func").kernel
BACKWARD = registry.get("py_func_grad").kernel


def test_the_function_gets_lod_tensors() -> None:
    seen: list[Any] = []

    def function(x: LoDTensor) -> np.ndarray:
        seen.append(x.lod())
        return np.tanh(np.array(x))

    (out,) = FORWARD(
        [torch.ones(3, 2)], [LoD.from_lengths([[2, 1]])], device=CPU, forward_callable_id=register(function, 1)
    )
    assert seen == [[[0, 2, 3]]]
    assert np.allclose(out.numpy(), np.tanh(np.ones((3, 2))))


def test_the_lods_of_returned_tensors_reach_the_operators_behind() -> None:
    def function(x: LoDTensor) -> list[LoDTensor | np.ndarray]:
        made = LoDTensor()
        made.set_lod([[0, 1, 3]])
        made.set(np.array(x)[:3], fluid.CPUPlace())
        return [made, np.array(x)]

    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [None, 2], "float32", lod_level=1)
        ragged, plain = (main.current_block().create_var(name=n, shape=[-1, 2], dtype="float32") for n in "ab")
        fluid.layers.py_func(function, x, [ragged, plain])
        sums = fluid.layers.sequence_pool(ragged, "sum")
    rows = fluid.create_lod_tensor(np.ones((4, 2), "float32"), [[4]], fluid.CPUPlace())
    fetched = fluid.Executor(fluid.CPUPlace()).run(main, {"x": rows}, [ragged, plain, sums], return_numpy=False)
    assert [one.lod() for one in fetched] == [[[0, 1, 3]], [], []]
    assert np.array(fetched[2]).tolist() == [[1, 1], [2, 2]]


def test_a_function_may_return_several_arrays() -> None:
    both = register(lambda x, y: (np.array(x) + np.array(y), np.array(x) - np.array(y)), 2)
    outs = FORWARD([torch.ones(2), torch.ones(2)], None, device=CPU, forward_callable_id=both)
    assert [out.tolist() for out in outs] == [[2.0, 2.0], [0.0, 0.0]]


def test_a_function_may_take_and_return_nothing() -> None:
    called = []
    assert FORWARD([torch.ones(1)], None, device=CPU, forward_callable_id=register(lambda: called.append(1), 0)) == []
    assert called == [1]


def test_the_backward_function_gets_inputs_outputs_and_gradients() -> None:
    backward = register(lambda x, y, dy: np.array(dy) * (1 - np.array(y) ** 2) + 0 * np.array(x), 1)
    y = torch.tensor([0.5])
    (grad,) = BACKWARD([torch.zeros(1)], [y], [torch.tensor([4.0])], device=CPU, backward_callable_id=backward)
    assert grad.tolist() == [3.0]


def test_what_is_skipped_is_not_passed() -> None:
    backward = register(lambda y, dy: np.array(dy) * np.array(y), 1, keep=(False, True))
    (grad,) = BACKWARD(
        [torch.zeros(1)], [torch.tensor([3.0])], [torch.tensor([2.0])], device=CPU, backward_callable_id=backward
    )
    assert grad.tolist() == [6.0]


def test_none_for_a_gradient_is_zero() -> None:
    backward = register(lambda x, z, y, dy: [None, np.array(dy)], 2)
    x = torch.ones(2)
    grads = BACKWARD([x, x], [x], [x * 5], device=CPU, backward_callable_id=backward)
    assert [g.tolist() for g in grads] == [[0.0, 0.0], [5.0, 5.0]]
