"""Training through a declarative forward: gradients, updates, statistics and modes are those of the imperative run."""

import gc
import weakref

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import (
    FC,
    BatchNorm,
    Conv2D,
    Dropout,
    Embedding,
    Layer,
    Linear,
    Sequential,
    declarative,
    to_variable,
)


class Plain(Layer):
    """Convolution, batch norm, dropout and a loop over layers."""

    def __init__(self):
        super().__init__()
        self.conv = Conv2D(1, 3, 3, bias_attr=False)  # the norm leaves it no gradient but noise
        self.norm = BatchNorm(3)
        self.drop = Dropout(0.3, seed=11)
        self.fc = Linear(3 * 4 * 4, 5)

    def forward(self, x, label=None):
        h = layers.relu(self.norm(self.conv(x)))
        h = self.drop(layers.reshape(h, [-1, 3 * 4 * 4]))
        out = layers.softmax(self.fc(h))
        if label is None:
            return out
        if layers.mean(out) > -1:
            loss = layers.mean(layers.cross_entropy(out, label))
        else:
            loss = layers.mean(out)
        return loss, out


class Static(Plain):
    @declarative
    def forward(self, x, label=None):
        return super().forward(x, label)


def batches(sizes, seed=0):
    random = np.random.RandomState(seed)
    for n in sizes:
        yield random.rand(n, 1, 6, 6).astype("float32"), random.randint(0, 5, (n, 1)).astype("int64")


def train(cls, sizes, optimizer):
    with fluid.dygraph.guard():
        fluid.default_startup_program().random_seed = fluid.default_main_program().random_seed = 5
        model = cls()
        opt = optimizer(model.parameters())
        losses = []
        for x, y in batches(sizes):
            loss, _ = model(to_variable(x), to_variable(y))
            loss.backward()
            opt.minimize(loss)
            grads = [p.gradient() for p in model.parameters() if p.trainable]
            model.clear_gradients()
            losses.append(loss.numpy())
        model.eval()
        x, _ = next(batches([4], seed=1))
        out = model(to_variable(x)).numpy()
        return losses, out, {k: v.numpy() for k, v in model.state_dict().items()}, grads


@pytest.mark.parametrize("optimizer", [
    lambda p: fluid.optimizer.SGD(0.1, parameter_list=p),
    lambda p: fluid.optimizer.Adam(0.01, parameter_list=p),
], ids=["sgd", "adam"])  # fmt: skip
def test_training_declarative_is_training_imperative(optimizer):
    sizes = [4, 4, 6, 3, 4, 5]
    plain, ours = train(Plain, sizes, optimizer), train(Static, sizes, optimizer)
    np.testing.assert_allclose(ours[0], plain[0], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours[1], plain[1], rtol=1e-5, atol=1e-6)
    for name, value in plain[2].items():  # parameters and the running statistics
        np.testing.assert_allclose(ours[2][name], value, rtol=1e-5, atol=1e-6, err_msg=name)
    for a, b in zip(plain[3], ours[3], strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


def test_another_batch_size_makes_one_more_program_and_no_further_ones():
    with fluid.dygraph.guard():
        model = Static()
        for x, y in batches([4, 6, 8, 3, 7, 4]):
            model(to_variable(x), to_variable(y))
        programs = Static.forward.programs_for((model,))
        assert len({id(p) for p in programs.exact.values()}) == 2
        (general,) = programs.open.values()
        assert [var.shape[0] for var in general.inputs] == [-1, -1]


def test_training_and_evaluation_are_different_programs():
    with fluid.dygraph.guard():
        model = Static()
        x, _ = next(batches([4]))
        first = model(to_variable(x)).numpy()
        model.eval()
        evaluated = model(to_variable(x)).numpy()
        assert not np.allclose(first, evaluated)
        np.testing.assert_array_equal(evaluated, model(to_variable(x)).numpy())
        assert model(to_variable(x)).stop_gradient
        model.train()
        assert not model(to_variable(x)).stop_gradient


def test_dropout_draws_from_the_stream_of_the_imperative_mode():
    def run(function):
        with fluid.dygraph.guard():
            fluid.default_main_program().random_seed = 3
            x = to_variable(np.ones([50], "float32"))
            return [function(x).numpy() for _ in range(3)]

    def noisy(x):
        return layers.dropout(x, 0.5) + layers.gaussian_random([50])

    plain, ours = run(noisy), run(declarative(noisy))
    np.testing.assert_array_equal(plain, ours)
    assert not np.array_equal(ours[0], ours[1])


def test_the_program_shares_the_tensors_of_the_layer():
    class Net(Layer):
        def __init__(self):
            super().__init__()
            self.fc = Linear(2, 2)

        @declarative
        def forward(self, x):
            return self.fc(x)

    with fluid.dygraph.guard():
        net = Net()
        x = to_variable(np.ones([1, 2], "float32"))
        net(x)
        net.fc.weight.set_value(np.zeros([2, 2], "float32"))
        net.fc.bias.set_value(np.array([1.0, 2.0], "float32"))
        np.testing.assert_array_equal(net(x).numpy(), [[1.0, 2.0]])


def test_under_no_grad_only_the_forward_pass_runs():
    with fluid.dygraph.guard():
        model = Static()
        x, y = next(batches([4]))
        with fluid.dygraph.no_grad():
            loss, _ = model(to_variable(x), to_variable(y))
        assert loss.stop_gradient and loss._grad_node is None


def test_a_frozen_parameter_gets_no_gradient_and_the_others_do():
    with fluid.dygraph.guard():
        model = Static()
        x, y = next(batches([4]))
        model.fc.weight.stop_gradient = True
        loss, _ = model(to_variable(x), to_variable(y))
        loss.backward()
        assert model.fc.weight.gradient() is None
        assert np.abs(model.conv.weight.gradient()).sum() > 0
        model.fc.weight.stop_gradient = False
        loss, _ = model(to_variable(x), to_variable(y))
        loss.backward()
        assert np.abs(model.fc.weight.gradient()).sum() > 0


def test_a_stopped_input_takes_part_and_has_no_gradient():
    @declarative
    def product(a, b):
        return layers.reduce_sum(a * b)

    with fluid.dygraph.guard():
        a, b = to_variable(np.ones([2], "float32")), to_variable(np.full([2], 3.0, "float32"))
        a.stop_gradient = False
        product(a, b).backward()
        np.testing.assert_array_equal(a.gradient(), [3.0, 3.0])
        assert b.gradient() is None


def test_when_nothing_asks_every_floating_input_gets_gradients_as_in_1_5():
    @declarative
    def square(x):
        return layers.reduce_sum(x * x)

    with fluid.dygraph.guard():
        x = to_variable(np.array([1.0, 2.0], "float32"))
        loss = square(x)
        assert loss.stop_gradient
        loss.backward()
        np.testing.assert_array_equal(x.gradient(), [2.0, 4.0])


def test_programs_are_nodes_of_a_larger_graph():
    @declarative
    def cube(x):
        return x * x * x, x * 2

    with fluid.dygraph.guard():
        x = to_variable(np.array([2.0], "float32"))
        x.stop_gradient = False
        first, twice = cube(x * 1)
        second, _ = cube(first + twice)
        loss = second + twice
        loss.backward(retain_graph=True)
        found = x.gradient()
        loss.backward()
        np.testing.assert_array_equal(found, x.gradient())
        # d/dx ((x^3 + 2x)^3 + 2x) at 2
        np.testing.assert_allclose(found, [3 * 12.0**2 * 14 + 2], rtol=1e-6)
        with pytest.warns(UserWarning, match="freed by an earlier backward"):
            loss.backward()


def test_sparse_gradients_stay_sparse():
    class Net(Layer):
        def __init__(self):
            super().__init__()
            self.table = Embedding([10, 3], is_sparse=True)

        @declarative
        def forward(self, ids):
            return layers.reduce_sum(self.table(ids))

    with fluid.dygraph.guard():
        net = Net()
        net(to_variable(np.array([[1], [4]], "int64"))).backward()
        values, rows = net.table.weight.gradient()
        assert sorted(rows.tolist()) == [1, 4]
        np.testing.assert_array_equal(values, np.ones([2, 3]))


def test_layers_that_wait_for_their_input_are_built_imperatively():
    class Net(Layer):
        def __init__(self):
            super().__init__()
            self.fc = FC("fc", 4)
            self.more = Sequential(Linear(4, 4), Linear(4, 2))

        @declarative
        def forward(self, x):
            return self.more(self.fc(x))

    with fluid.dygraph.guard():
        net = Net()
        out = net(to_variable(np.ones([3, 5], "float32")))
        layers.mean(out).backward()
        assert len(net.parameters()) == 6
        assert all(p.gradient() is not None for p in net.parameters())


def test_what_comes_in_and_goes_out_may_be_nested():
    @declarative
    def swap(pair, scale=1.0, *, extra=None):
        a, b = pair["a"], pair["b"][0]
        return {"sum": (a + b) * scale, "parts": [b, a], "note": "kept", "extra": extra}

    with fluid.dygraph.guard():
        a, b = to_variable(np.ones([2], "float32")), to_variable(np.zeros([2], "float32"))
        out = swap({"a": a, "b": (b,)}, scale=2.0, extra=np.array([7.0], "float32"))
        np.testing.assert_array_equal(out["sum"].numpy(), [2.0, 2.0])
        assert out["parts"][0] is b and out["parts"][1] is a and out["note"] == "kept"
        np.testing.assert_array_equal(out["extra"].numpy(), [7.0])


def test_a_layer_goes_when_nobody_holds_it():
    with fluid.dygraph.guard():
        model = Static()
        x, y = next(batches([4]))
        loss, _ = model(to_variable(x), to_variable(y))
        loss.backward()
        alive = weakref.ref(model)
        del model, loss, _
        gc.collect()
        assert alive() is None


def test_a_program_with_blocks_goes_with_its_function():
    def signed(x):
        return x * 2 if layers.mean(x) > 0 else x

    with fluid.dygraph.guard():
        function = declarative(signed)
        function(to_variable(np.ones([2], "float32")))
        (concrete,) = function._programs.exact.values()
        alive = weakref.ref(concrete.main_program)
        del function, concrete
        fluid.dygraph.ProgramTranslator.reset()
        gc.collect()
        assert alive() is None


def test_python_that_needs_the_batch_size_gets_a_program_for_each():
    names = {2: 10.0, 3: 20.0, 4: 30.0}

    @declarative
    def looked_up(x):
        return x * names[x.shape[0]]

    with fluid.dygraph.guard():
        for n in (2, 3, 4, 3):
            out = looked_up(to_variable(np.ones([n], "float32")))
            np.testing.assert_array_equal(out.numpy(), np.full(n, names[n]))
        assert len({id(p) for p in looked_up._programs.exact.values()}) == 3
        with pytest.raises(KeyError):
            looked_up(to_variable(np.ones([5], "float32")))


def test_a_shape_that_differs_is_known_when_the_program_runs():
    @declarative
    def by_rows(x):
        rows = x.shape[0]
        total = x[0] * 0
        for i in range(rows):
            total = total + x[i] * i
        return layers.reshape(x, [rows * 2]), total, layers.fill_constant([rows, 1], "float32", 2.0)

    with fluid.dygraph.guard():
        for n in (2, 3, 5):
            x = np.arange(2 * n, dtype="float32").reshape(n, 2)
            flat, total, twos = by_rows(to_variable(x))
            np.testing.assert_array_equal(flat.numpy(), x.ravel())
            np.testing.assert_array_equal(total.numpy(), (x * np.arange(n)[:, None]).sum(0))
            assert twos.shape == [n, 1]


class Branches(Layer):
    """What computes depends on the numbers: some parameters take no part in some steps."""

    def __init__(self):
        super().__init__()
        self.up, self.down, self.again, self.late, self.other = (Linear(2, 2) for _ in range(5))

    def forward(self, x, n):
        mean = layers.mean(x)
        if mean > 0:
            y = self.up(x) if mean < 5 else self.late(x)
        else:
            y = self.down(x)
        for _ in range(n):
            y = self.again(y) if mean > -5 else self.late(y)
        return layers.mean(y * y), layers.reduce_sum(self.other(self.late(x)))


def test_parameters_that_take_no_part_in_a_step_have_no_gradient_and_stay():
    steps = [(1.0, 0), (-1.0, 2), (9.0, 0), (-9.0, 1), (-1.0, 0), (2.0, 1)]
    found = []
    with fluid.dygraph.guard():
        net = Branches()
        state = {name: value.numpy().copy() for name, value in net.state_dict().items()}
        for forward in (Branches.forward, declarative(Branches.forward)):
            net.set_dict(state)
            adam = fluid.optimizer.Adam(
                0.1, parameter_list=net.parameters(), regularization=fluid.regularizer.L2Decay(0.1)
            )
            for number, n in steps:
                for parameter in net.parameters():
                    parameter._as_leaf().grad, parameter._reads_zeros = None, False
                loss, other = forward(net, to_variable(np.full([3, 2], number, "float32")), to_variable(np.array([n])))
                (loss + other if number > 5 else loss).backward()
                found.append([one.gradient() is None for one in net.parameters()])
                adam.minimize(loss)
            found.append([one.numpy() for one in net.parameters()])
    half = len(found) // 2
    np.testing.assert_allclose(np.stack(found[-1][::2]), np.stack(found[half - 1][::2]), rtol=1e-5, atol=1e-6)
    assert found[: half - 1] == found[half:-1]
    assert found[0] == [False, False, *[True] * 8]


def test_a_parameter_or_layer_put_in_anothers_place_is_the_one_that_computes():
    class Pair(Layer):
        def __init__(self):
            super().__init__()
            self.layers = fluid.dygraph.LayerList([Linear(2, 2), Linear(2, 2)])

        @declarative
        def forward(self, x):
            return self.layers[1](self.layers[0](x))

    with fluid.dygraph.guard():
        net, x = Pair(), to_variable(np.ones([1, 2], "float32"))

        def check():
            np.testing.assert_allclose(net(x).numpy(), net.layers[1](net.layers[0](x)).numpy(), rtol=1e-6)

        check()
        net.layers[0].weight = net.layers[1].weight
        check()
        net.layers[1] = Linear(2, 3)
        check()
        programs = len(Pair.forward.programs_for((net,)).exact)
        check()
        assert len(Pair.forward.programs_for((net,)).exact) == programs == 3
