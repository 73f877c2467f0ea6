"""The tape does not grow: not with a running sum, not with steps, not with what is thrown away."""

import gc
import sys

import numpy as np
import torch

import paddle.fluid as fluid
from refluid.eager.graph import Node

F32 = np.float32


def nodes():
    gc.collect()
    return sum(type(one) is Node for one in gc.get_objects())


def test_a_running_sum_of_losses_does_not_grow_the_tape():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(4, 1)
        sgd = fluid.optimizer.SGD(0.1, parameter_list=layer.parameters())
        x = fluid.dygraph.to_variable(np.ones((2, 4), F32))
        total, counts = 0.0, []
        for step in range(60):
            loss = fluid.layers.mean(layer(x))
            loss.backward()
            sgd.minimize(loss)
            layer.clear_gradients()
            total = total + loss.detach()
            if step % 20 == 19:
                counts.append(nodes())
        assert counts[0] == counts[1] == counts[2]
        assert np.isfinite(total.numpy()).all()


def test_a_running_sum_without_detach_keeps_no_saved_values():
    """Its links are freed by every backward: what is left of a step is one node without values."""
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(4, 1)
        x = fluid.dygraph.to_variable(np.ones((2, 4), F32))
        total = fluid.dygraph.to_variable(np.zeros(1, F32))
        for _ in range(50):
            loss = fluid.layers.mean(layer(x))
            loss.backward()
            total = total + loss
        assert nodes() < 200


def test_a_running_sum_of_stopped_variables_has_a_bounded_graph():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 1)
        total = fluid.dygraph.to_variable(np.zeros(1, F32))
        counts = []
        for _ in range(4):
            for _ in range(500):
                total = total + fluid.dygraph.to_variable(np.ones(1, F32))
            loss = fluid.layers.mean(layer(fluid.dygraph.to_variable(np.ones((1, 2), F32))))
            loss.backward()
            counts.append(nodes())
        assert total.numpy()[0] == 2000
        assert max(counts) < 1600  # one step's worth and the limit of a chain, not all steps
        for _ in range(5000):  # no backward at all: a long evaluation
            total = total + 1.0
        assert nodes() < 2600


def test_what_nobody_holds_is_gone_without_backward():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(4, 1)
        before = nodes()
        for _ in range(20):
            fluid.layers.mean(layer(fluid.dygraph.to_variable(np.ones((2, 4), F32))))
        assert nodes() == before


def test_backward_frees_what_the_graph_saved():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.ones(2, F32))
        x.stop_gradient = False
        before = nodes()
        loss = fluid.layers.reduce_sum(fluid.layers.exp(x * x))
        assert nodes() - before == 3
        loss.backward()
        assert nodes() - before == 1  # the loss's own, where its gradient is kept


def test_ten_thousand_imperative_steps_need_no_more_memory_than_one():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(4, 1, act="tanh")
        adam = fluid.optimizer.Adam(0.01, parameter_list=layer.parameters())
        batch = np.ones((2, 4), F32)

        def steps(count):
            for _ in range(count):
                loss = fluid.layers.mean(fluid.layers.square(layer(fluid.dygraph.to_variable(batch))))
                loss.backward()
                adam.minimize(loss)
                layer.clear_gradients()

        steps(5000)
        gc.collect()
        before = sys.getallocatedblocks()
        steps(5000)
        gc.collect()
        assert sys.getallocatedblocks() - before < 500


def test_a_graph_that_is_thrown_away_is_freed_at_once():
    """No circles: what calls of several outputs have kept does not wait for Python's collector."""
    with fluid.dygraph.guard():
        norm, layer = fluid.dygraph.BatchNorm(2), fluid.dygraph.Linear(4, 4)
        x = fluid.dygraph.to_variable(np.ones((3, 2, 4), F32))
        gc.collect()
        gc.disable()
        try:
            for step in range(4):
                a, b = fluid.layers.split(layer(norm(x)), 2, dim=-1)
                label = fluid.dygraph.to_variable(np.zeros((12, 1), np.int64))
                fluid.layers.softmax_with_cross_entropy(fluid.layers.reshape(a * b, [12, 1]), label)
                del a, b, label
                if step == 0:
                    before = tensors()
            assert tensors() == before
        finally:
            gc.enable()


def test_backward_frees_what_was_kept_as_it_goes():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(4, 4)
        x = fluid.dygraph.to_variable(np.ones((3, 4), F32))
        gc.collect()
        gc.disable()
        try:
            fluid.layers.reduce_mean(layer(x)).backward()
            before = tensors()
            for _ in range(3):
                a, b = fluid.layers.split(layer(x), 2, dim=-1)
                loss = fluid.layers.reduce_mean(fluid.layers.reshape(a * b, [2, 3]))
                loss.backward()
                del a, b
                assert loss.gradient().tolist() == [1.0]
                del loss
                layer.clear_gradients()
            assert tensors() <= before
        finally:
            gc.enable()


def tensors():
    """How many tensors are alive."""
    return sum(type(one) is torch.Tensor for one in gc.get_objects())
