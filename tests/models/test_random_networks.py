"""Networks put together at random give the same losses and parameters in every way to run them.

Plans call one kernel per operator, or fuse them and compute in place; the imperative mode adds gradients up in place;
a translated forward is a program again. Whatever is read twice, shared or read by nobody must survive all of that.
"""

import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import BatchNorm, Conv2D, LayerNorm, Linear

ACTS = [None, "relu", "tanh", "sigmoid", "leaky_relu", "softmax"]

# Of a layer of its own, an image x [N, 3, 4, 4] and two rows of features v and u [N, 4].
IMAGE_LAYERS = [lambda act: Conv2D(3, 3, 3, padding=1, act=act), lambda act: BatchNorm(3, act=act)]
ROW_LAYERS = [lambda act: Linear(4, 4, act=act), lambda act: LayerNorm(4)]
ON_IMAGES = [
    lambda net, x: layers.relu(x) + x,
    lambda net, x: layers.elementwise_mul(x, layers.sigmoid(layers.reduce_mean(x, dim=[2, 3])), axis=0),
]
ON_ROWS = [
    lambda net, v, u: v + u,
    lambda net, v, u: v * u - 0.5 * u,
    lambda net, v, u: layers.matmul(v, net.weight),
    lambda net, v, u: layers.elementwise_add(layers.mul(v, net.weight), net.bias, act="relu"),
    lambda net, v, u: layers.concat(layers.split(v, 2, dim=-1)[::-1], axis=1),
    lambda net, v, u: layers.concat([v[:, 1:3], u[:, 0:2]], axis=1),
    lambda net, v, u: layers.reshape(layers.transpose(layers.reshape(v, [-1, 2, 2]), [0, 2, 1]), [-1, 4]),
    lambda net, v, u: layers.sums([v, u, layers.softmax(v)]),
    lambda net, v, u: net.unrolled(v, u),
    lambda net, v, u: layers.matmul(layers.softmax(layers.matmul(v, u, transpose_y=True)), u),
    lambda net, v, u: layers.clip(v, -0.5, 0.5) / (layers.abs(u) + 1.0),
]


class Network(fluid.dygraph.Layer):
    """Steps that each read the newest result or an older one; some results nobody reads."""

    def __init__(self, seed):
        super().__init__()
        random = np.random.RandomState(seed)
        self.steps = []
        for i in range(random.randint(5, 14)):
            kind, act, places = random.randint(4), ACTS[random.randint(len(ACTS))], random.rand(2)
            if kind < 2:
                made = (IMAGE_LAYERS if kind == 0 else ROW_LAYERS)[random.randint(2)](act)
                shared = [step for k, step, _ in self.steps if k == kind]
                step = shared[-1] if shared and random.rand() < 0.3 else self.add_sublayer(f"step_{i}", made)
            else:
                choice = ON_IMAGES if kind == 2 else ON_ROWS
                step = choice[random.randint(len(choice))]
            self.steps.append((kind, step, places))
        self.weight = self.create_parameter([4, 4])
        self.bias = self.create_parameter([4], is_bias=True)
        self.out = Linear(4, 3)

    def unrolled(self, v, u):
        for _ in range(3):
            v = layers.sigmoid(layers.matmul(v, self.weight) + self.bias) * u
        return v

    def forward(self, image, row, label):
        images, rows = [image], [row, layers.scale(row, 0.5)]
        for kind, step, places in self.steps:
            x, v, u = (_one_of(found, place) for found, place in zip((images, rows, rows), (*places, places.sum() / 2)))
            if kind in (0, 2):
                images.append(step(x) if kind == 0 else step(self, x))
            else:
                rows.append(step(v) if kind == 1 else step(self, v, u))
        scores = self.out(rows[-1]) + layers.reduce_mean(images[-1], dim=[2, 3])
        return layers.mean(layers.softmax_with_cross_entropy(scores, label))


def _one_of(found, place):
    return found[-1] if place < 0.6 else found[int(place * 100) % len(found)]


def batches():
    random = np.random.RandomState(11)
    for size in (3, 2, 3):
        yield (
            random.randn(size, 3, 4, 4).astype("float32"),
            random.randn(size, 4).astype("float32"),
            random.randint(0, 3, (size, 1)),
        )


def values(network):
    random = np.random.RandomState(7)
    return [random.uniform(-0.5, 0.5, p.shape).astype("float32") for p in network.parameters()]


def momentum(**options):
    clip = fluid.clip.GradientClipByGlobalNorm(0.5)
    return fluid.optimizer.Momentum(
        0.02, 0.9, grad_clip=clip, regularization=fluid.regularizer.L2Decay(0.01), **options
    )


def imperative(seed, translated):
    with fluid.dygraph.guard():
        network = Network(seed)
        for parameter, value in zip(network.parameters(), values(network), strict=True):
            parameter.set_value(value)
        forward = fluid.dygraph.declarative(network.forward) if translated else network
        optimizer, losses = momentum(parameter_list=network.parameters()), []
        for batch in batches():
            loss = forward(*map(fluid.dygraph.to_variable, batch))
            loss.backward()
            optimizer.minimize(loss)
            network.clear_gradients()
            losses.append(loss.numpy())
        return losses + [p.numpy() for p in network.parameters()]


def static(seed, optimize):
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.scope_guard(scope), fluid.unique_name.guard():
        network = Network(seed)
        feeds = [fluid.data("x", [None, 3, 4, 4]), fluid.data("v", [None, 4]), fluid.data("y", [None, 1], "int64")]
        loss = network(*feeds)
        momentum().minimize(loss)
        exe = fluid.Executor()
        exe.optimize = optimize
        exe.run(startup)
        tensors = [scope.find_var(p.name).get_tensor() for p in network.parameters()]
        for tensor, value in zip(tensors, values(network), strict=True):
            tensor.set(value, fluid.CPUPlace())
        losses = [exe.run(main, feed=dict(zip("xvy", batch)), fetch_list=[loss])[0] for batch in batches()]
        return losses + [np.array(tensor) for tensor in tensors]


def check(seed):
    plain = static(seed, optimize=False)
    for got in (static(seed, optimize=True), imperative(seed, translated=False), imperative(seed, translated=True)):
        for left, right in zip(got, plain, strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_four_ways_to_train_end_at_the_same_place(seed):
    check(seed)


if __name__ == "__main__":
    first, last = map(int, sys.argv[1:])
    for seed in range(first, last):
        check(seed)
    print(last - first, "networks are trained alike in four ways")
