"""Weights that a network uses again and again get their gradient by one product."""

import numpy as np
import torch

import paddle.fluid as fluid
from refluid.core.places import CPU
from refluid.executor.plan import Plan


def unrolled(rounds: int, rank: int = 2):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [-1, 3] if rank == 2 else [-1, 2, 3])
        w = fluid.layers.create_parameter([3, 3], "float32", name="w")
        b = fluid.layers.create_parameter([3], "float32", name="b")
        h = x
        for i in range(rounds):
            h = fluid.layers.matmul(h, w) if i % 2 or rank == 3 else fluid.layers.mul(h, w)
            h = fluid.layers.tanh(h + b)
        loss = fluid.layers.mean(h)
        fluid.backward.append_backward(loss)
    return main, startup, loss


def gradients(main, startup, x, optimize):
    exe, scope = fluid.Executor(), fluid.Scope()
    startup.random_seed = 7
    exe.run(startup, scope=scope)
    plan = Plan(main, ("x",), frozenset(), ("w@GRAD", "b@GRAD"), CPU, optimize)
    values, _ = plan.run([torch.from_numpy(x)], [None], scope)
    return plan, [value.numpy() for value in values]


def test_the_products_of_one_weight_become_one():
    for rounds, rank in ((4, 2), (3, 3)):
        main, startup, _ = unrolled(rounds, rank)
        x = np.random.RandomState(0).rand(*([5, 3] if rank == 2 else [5, 2, 3])).astype("float32")
        plain, expected = gradients(main, startup, x, optimize=False)
        plan, found = gradients(main, startup, x, optimize=True)
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-7)
        assert "product_of_stacked" not in plain.text
        if rank == 3:
            assert plan.text.count("product_of_stacked(") == 1
            assert plan.text.count("mul_bias(") == rounds
            assert " sum(" not in plan.text  # the gradient of the bias comes with the product


def test_a_gradient_that_somebody_reads_is_still_computed():
    main, startup, _ = unrolled(3, 3)
    part = next(name for name in main.global_block().vars if name.startswith("w@GRAD@RENAME"))
    exe, scope = fluid.Executor(), fluid.Scope()
    exe.run(startup, scope=scope)
    x = np.ones([2, 2, 3], "float32")
    one, total = exe.run(main, feed={"x": x}, fetch_list=[part, "w@GRAD"], scope=scope)
    assert one.shape == total.shape and not np.allclose(one, total)
