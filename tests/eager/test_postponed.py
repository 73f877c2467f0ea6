"""Gradients of large weights are computed when they are read: with the values, and the life, of those computed at once.

The weights here are as large as they must be, and the batches as small; `made_at_once` computes the same in the way of
small weights.
"""

import copy
import pickle

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.diagnostics.timing import Timer
from refluid.eager import backward
from refluid.eager.postponed import Postponed, _pending, storage_of
from refluid.eager.unread import UnreadGradient
from refluid.eager.variable import VarBase
from refluid.ops import registry

WIDTH = 600  # a square weight of it has 1.4 MB
ONE = np.ones(1, np.float32)


@pytest.fixture
def made_at_once(monkeypatch):
    """A function: from now on no gradient is postponed."""
    return lambda: monkeypatch.setattr(backward, "_LARGE", 1 << 60)


@pytest.fixture(autouse=True)
def imperative():
    with fluid.dygraph.guard():
        yield


def values(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


class Net(fluid.dygraph.Layer):
    """One layer of each kind whose gradient can be postponed, each behind an operator that makes its input."""

    def __init__(self):
        super().__init__()
        self.first = fluid.dygraph.Linear(8, WIDTH, act="relu")
        self.fc = fluid.dygraph.Linear(WIDTH, WIDTH)
        self.conv = fluid.dygraph.Conv2D(WIDTH, 64, 3, padding=1)
        self.transposed = fluid.dygraph.Conv2DTranspose(64, 512, 3, padding=1)
        self.mul_weight = self.create_parameter([512 * 4, 256])
        self.matmul_weight = self.create_parameter([WIDTH, 256 * 2])

    def forward(self, x):
        x = self.fc(self.first(x))
        image = fluid.layers.relu(fluid.layers.expand(fluid.layers.reshape(x, [0, 0, 1, 1]), [1, 1, 2, 2]))
        image = fluid.layers.relu(self.transposed(fluid.layers.relu(self.conv(image))))
        left = fluid.layers.mul(fluid.layers.reshape(image, [0, -1]), self.mul_weight)
        right = fluid.layers.matmul(fluid.layers.relu(x), self.matmul_weight)
        return fluid.layers.mean(fluid.layers.square(left)) + fluid.layers.mean(fluid.layers.square(right))


LARGE = ["fc.weight", "conv.weight", "transposed.weight", "mul_weight", "matmul_weight"]


def backward_once(**options):
    """A network and its loss, after the backward pass."""
    fluid.default_main_program().random_seed = 7
    net = Net()
    for i, param in enumerate(net.parameters()):
        param.set_value(values(*param.shape, seed=i) * 0.05)
    loss = net(fluid.dygraph.to_variable(values(2, 8)))
    loss.backward(**options)
    return net, loss


def is_postponed(param):
    held = param._grad_node.held
    return type(held) is Postponed and held._value is None


def gradients(net):
    return {name: param.gradient() for name, param in net.named_parameters()}


def train(steps=3, optimizer=fluid.optimizer.MomentumOptimizer, clear=True, **options):
    """The parameters after some steps."""
    net, _ = backward_once()
    net.clear_gradients()
    if optimizer is fluid.optimizer.MomentumOptimizer:
        options["momentum"] = 0.9
    made = optimizer(learning_rate=0.01, parameter_list=net.parameters(), **options)
    for step in range(steps):
        loss = net(fluid.dygraph.to_variable(values(2, 8, seed=step)))
        loss.backward()
        made.minimize(loss)
        if clear:
            net.clear_gradients()
    return {name: param.numpy() for name, param in net.named_parameters()}


def assert_same(first, second):
    assert first.keys() == second.keys()
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


def test_every_kind_of_layer_postpones_the_gradient_of_a_large_weight():
    net, _ = backward_once()
    assert {name for name, param in net.named_parameters() if is_postponed(param)} == set(LARGE)


def test_gradients_are_the_same(made_at_once):
    postponed = gradients(backward_once()[0])
    made_at_once()
    net, _ = backward_once()
    assert not any(is_postponed(param) for param in net.parameters())
    assert_same(postponed, gradients(net))


OPTIONS = {
    "momentum": {},
    "gradients are not cleared": {"clear": False},
    "sgd": {"optimizer": fluid.optimizer.SGD},
    "adam": {"optimizer": fluid.optimizer.Adam},
    "lamb": {"optimizer": fluid.optimizer.Lamb},
    "dpsgd, which draws random numbers": {"optimizer": fluid.optimizer.Dpsgd},
    "clipped by the global norm": {"grad_clip": fluid.clip.GradientClipByGlobalNorm(0.1)},
    "clipped by value": {"grad_clip": fluid.clip.GradientClipByValue(0.001)},
    "weight decay": {"regularization": fluid.regularizer.L2Decay(0.1)},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_training_is_the_same(options, made_at_once):
    postponed = train(**options)
    made_at_once()
    assert_same(postponed, train(**options))


def test_the_optimizer_keeps_no_gradient_of_a_large_weight_and_it_can_be_read_afterwards(made_at_once):
    net, loss = backward_once()
    sgd = fluid.optimizer.SGD(0.01, parameter_list=net.parameters())
    _, pairs = sgd.minimize(loss)
    named = dict(net.named_parameters())
    assert all(is_postponed(named[name]) for name in LARGE)
    returned = {param.name: grad for param, grad in pairs}
    for name in LARGE:
        grad = returned[named[name].name]
        assert type(grad) is UnreadGradient and isinstance(grad, fluid.core.VarBase)
        np.testing.assert_array_equal(grad.numpy(), named[name].gradient(), err_msg=name)
        assert type(grad) is VarBase
        assert grad._t is named[name]._grad_node.grad
    after = gradients(net)
    made_at_once()
    assert_same(after, gradients(backward_once()[0]))


def _pickled(grad):
    return pickle.loads(pickle.dumps(grad))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, _pickled])
def test_a_returned_gradient_can_be_copied(duplicate):
    net, loss = backward_once()
    _, pairs = fluid.optimizer.SGD(0.01, parameter_list=net.parameters()).minimize(loss)
    param, grad = next(pair for pair in pairs if type(pair[1]) is UnreadGradient)
    twin = duplicate(grad)
    assert type(twin) is VarBase
    np.testing.assert_array_equal(twin.numpy(), param.gradient())


def test_clearing_computes_nothing(monkeypatch):
    net, _ = backward_once()
    monkeypatch.setattr(Postponed, "compute", lambda self: pytest.fail("computed"))
    net.clear_gradients()
    assert not net.conv.weight.gradient().any()


def test_what_a_gradient_reads_can_be_set_before_it_is_read(made_at_once):
    def run(change):
        net = fluid.dygraph.Linear(8, WIDTH)
        weight = net.create_parameter([WIDTH, WIDTH])
        weight.set_value(values(WIDTH, WIDTH))
        net.weight.set_value(values(8, WIDTH))
        x = net(fluid.dygraph.to_variable(values(2, 8)))
        fluid.layers.mean(fluid.layers.matmul(x, weight)).backward()
        change(x)
        return weight.gradient()

    changes = [
        lambda x: None,
        lambda x: x.set_value(values(2, WIDTH, seed=9)),
        lambda x: x.value().get_tensor().set(values(2, WIDTH, seed=9), fluid.CPUPlace()),
        lambda x: registry.get("sgd")(x, fluid.dygraph.to_variable(ONE), fluid.dygraph.to_variable(values(2, WIDTH))),
    ]
    results = [run(change) for change in changes]
    made_at_once()
    for result in results:
        np.testing.assert_array_equal(result, run(lambda x: None))


def test_only_what_an_operator_has_made_is_kept_for_later():
    """The user may write over the memory of an array, and updates over that of a parameter."""
    weight = fluid.layers.create_parameter([WIDTH, WIDTH], "float32")
    table = fluid.layers.create_parameter([2, WIDTH], "float32")
    array = fluid.dygraph.to_variable(values(2, WIDTH))
    array.stop_gradient = False
    for x in (table, array, fluid.layers.reshape(table, [2, WIDTH])):
        fluid.layers.mean(fluid.layers.matmul(x, weight)).backward()
        assert not is_postponed(weight)
    made = fluid.layers.reshape(fluid.layers.relu(table), [2, WIDTH])
    fluid.layers.mean(fluid.layers.matmul(made, weight)).backward()
    assert is_postponed(weight)


def test_where_input_and_output_are_not_small_nothing_is_postponed():
    weight = fluid.layers.create_parameter([WIDTH, WIDTH], "float32")
    x = fluid.dygraph.to_variable(values(WIDTH, WIDTH))
    x.stop_gradient = False
    fluid.layers.mean(fluid.layers.matmul(fluid.layers.relu(x), weight)).backward()
    assert not is_postponed(weight)


def test_a_graph_that_is_kept_postpones_nothing(made_at_once):
    net, loss = backward_once(retain_graph=True)
    assert not any(is_postponed(param) for param in net.parameters())
    first = gradients(net)
    loss.backward()
    assert is_postponed(net.conv.weight)
    assert_same(first, gradients(net))


def test_a_weight_that_is_used_twice_has_the_sum(made_at_once):
    def run():
        weight = fluid.layers.create_parameter([WIDTH, WIDTH], "float32")
        weight.set_value(values(WIDTH, WIDTH) * 0.1)
        x = fluid.dygraph.to_variable(values(2, WIDTH))
        x.stop_gradient = False
        y = fluid.layers.matmul(fluid.layers.relu(x), weight)
        fluid.layers.mean(fluid.layers.matmul(fluid.layers.relu(y), weight)).backward()
        return weight.gradient()

    summed = run()
    made_at_once()
    np.testing.assert_array_equal(summed, run())


def test_a_gradient_may_be_read_outside_of_the_guard_and_when_its_layer_is_gone():
    net, loss = backward_once()
    _, pairs = fluid.optimizer.SGD(0.01, parameter_list=net.parameters()).minimize(loss)
    grad = next(grad for _, grad in pairs if type(grad) is UnreadGradient)
    del net, loss, pairs
    fluid.disable_dygraph()
    try:
        assert np.isfinite(grad.numpy()).all()
    finally:
        fluid.enable_dygraph()


def test_a_gradient_that_shares_memory_with_a_parameter_is_computed_before_the_update(made_at_once):
    def run():
        net, loss = backward_once()
        held = net.conv.weight._grad_node.held
        if type(held) is Postponed:  # as if the gradient of the output were a view of a parameter
            held._storages |= {storage_of(net.fc.weight._t)}
        fluid.optimizer.SGD(0.01, parameter_list=[net.fc.weight]).minimize(loss)
        assert not is_postponed(net.conv.weight)
        return net.conv.weight.gradient()

    postponed = run()
    made_at_once()
    np.testing.assert_array_equal(postponed, run())


def test_the_profiler_counts_it_as_the_gradient_of_its_operator():
    net, loss = backward_once()
    timer = Timer()
    timer.install()
    try:
        fluid.optimizer.SGD(0.01, parameter_list=net.parameters()).minimize(loss)
    finally:
        timer.remove()
    names = [event.name for event in timer.events]
    assert {"fc_grad", "conv2d_grad", "conv2d_transpose_grad", "mul_grad", "matmul_grad"} <= set(names)


def test_nothing_stays_pending():
    net, loss = backward_once()
    assert _pending
    net.clear_gradients()
    del net, loss
    assert not _pending
