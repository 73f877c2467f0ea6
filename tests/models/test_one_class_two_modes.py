"""A model class written once trains in both modes, from the same initial parameters to the same losses."""

import numpy as np
import pytest

import paddle.fluid as fluid

D, L, O = fluid.dygraph, fluid.layers, fluid.optimizer
SHAPES = {"image": (6, 1, 8, 8), "ids": (6, 5), "sequence": (6, 4, 4), "vector": (6, 4)}
STEPS = 4


class ConvNet(D.Layer):
    takes = "image"

    def __init__(self):
        super().__init__()
        self.conv, self.norm = D.Conv2D(1, 4, 3, padding=1, bias_attr=False), D.BatchNorm(4, act="relu")
        self.pool, self.out = D.Pool2D(2, "max", 2), D.Linear(64, 3)

    def forward(self, x):
        return self.out(L.reshape(self.pool(self.norm(self.conv(x))), [-1, 64]))


class Norms(D.Layer):
    takes = "image"

    def __init__(self):
        super().__init__()
        self.conv, self.instance, self.prelu = D.Conv2D(1, 4, 3), D.InstanceNorm(4), D.PRelu("channel", channel=4)
        self.group = D.GroupNorm(4, 2, param_attr=fluid.ParamAttr(), bias_attr=fluid.ParamAttr())
        self.up, self.out = D.Conv2DTranspose(4, 2, 3), D.Linear(128, 3)

    def forward(self, x):
        return self.out(L.reshape(self.up(self.prelu(self.instance(self.group(self.conv(x))))), [-1, 128]))


class Words(D.Layer):
    takes, sparse = "ids", False

    def __init__(self):
        super().__init__()
        self.table, self.hidden = D.Embedding([10, 4], is_sparse=self.sparse), D.Linear(4, 3, act="tanh")
        self.out = D.Linear(3, 3)

    def forward(self, ids):
        return self.out(self.hidden(L.reduce_mean(self.table(ids), dim=1)))


class SparseWords(Words):
    sparse = True


class Recurrent(D.Layer):
    takes = "sequence"

    def __init__(self):
        super().__init__()
        self.step, self.again, self.out = D.Linear(4, 5), D.Linear(5, 5, bias_attr=False), D.Linear(5, 3)

    def forward(self, x):
        h = self.step(x[:, 0])
        for t in range(1, 4):
            h = L.tanh(self.step(x[:, t]) + self.again(h))
        return self.out(h)


class Gated(D.Layer):
    takes = "sequence"

    def __init__(self):
        super().__init__()
        self.step, self.unit, self.out = D.Linear(4, 15), D.GRUUnit(15), D.Linear(5, 3)

    def forward(self, x):
        h = L.fill_constant_batch_size_like(x, [-1, 5], "float32", 0.0)
        for t in range(3):
            h, _, _ = self.unit(self.step(x[:, t]), h)
        return self.out(h)


class Attention(D.Layer):
    takes = "sequence"

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = D.Linear(4, 8), D.Linear(4, 8), D.Linear(4, 8)
        self.norm, self.out = D.LayerNorm(8), D.Linear(8, 3)

    def forward(self, x):
        q, k, v = (L.transpose(L.reshape(f(x), [0, 0, 2, 4]), [0, 2, 1, 3]) for f in (self.q, self.k, self.v))
        weights = L.softmax(L.matmul(q, k, transpose_y=True, alpha=0.5))
        mixed = L.reshape(L.transpose(L.matmul(weights, v), [0, 2, 1, 3]), [0, 0, 8])
        return self.out(L.reduce_mean(self.norm(mixed + self.v(x)), dim=1))


class Spectral(D.Layer):
    takes = "vector"

    def __init__(self):
        super().__init__()
        self.w, self.norm, self.out = self.create_parameter([4, 3]), D.SpectralNorm([4, 3]), D.Linear(3, 3)

    def forward(self, x):
        return self.out(L.matmul(x, self.norm(self.w)))


class Shared(D.Layer):
    takes = "vector"

    def __init__(self):
        super().__init__()
        self.first = D.Linear(4, 4, act="relu")
        self.second, self.out = self.first, D.Linear(4, 3)

    def forward(self, x):
        return self.out(self.second(self.first(x)))


class Bilinear(D.Layer):
    takes = "vector"

    def __init__(self):
        super().__init__()
        self.pair, self.drop = D.BilinearTensorProduct(4, 4, 3, act="sigmoid"), D.Dropout(0.0)
        self.out = D.Linear(3, 3)

    def forward(self, x):
        return self.out(self.drop(self.pair(x, x * 2)))


class Old(D.Layer):
    """In the spelling of 1.5, whose layers are built by their first inputs."""

    takes = "vector"

    def __init__(self):
        super().__init__("old")
        self.hidden, self.out = D.FC(self.full_name(), 8, act="relu"), D.FC(self.full_name(), 3)

    def forward(self, x):
        return self.out(self.hidden(x))


class Normalised(D.Layer):
    takes = "vector"

    def __init__(self):
        super().__init__()
        self.hidden = D.Linear(4, 8, param_attr=fluid.WeightNormParamAttr(dim=1))
        self.out = D.Linear(8, 3)

    def forward(self, x):
        return self.out(self.hidden(x))


class Lists(D.Layer):
    takes = "vector"

    def __init__(self):
        super().__init__()
        self.layers = D.LayerList([D.Linear(4, 4, act="tanh") for _ in range(2)])
        self.factors = D.ParameterList([self.create_parameter([4]) for _ in range(2)])
        self.out = D.Sequential(D.Linear(4, 4), D.Linear(4, 3))

    def forward(self, x):
        for layer, factor in zip(self.layers, self.factors, strict=True):
            x = layer(x) * factor
        return self.out(x)


class Settings(D.Layer):
    takes = "vector"

    def __init__(self):
        super().__init__()
        attr = fluid.ParamAttr(learning_rate=0.5, regularizer=fluid.regularizer.L1Decay(0.1))
        self.frozen, self.out = D.Linear(4, 4, param_attr=fluid.ParamAttr(trainable=False)), D.Linear(4, 3, attr)

    def forward(self, x):
        return self.out(self.frozen(x))


class Sampled(D.Layer):
    takes = "vector"

    def __init__(self):
        super().__init__()
        self.hidden, self.cost = D.Linear(4, 4, act="tanh"), D.NCE(10, 4, num_neg_samples=3, seed=5)

    def loss(self, x, label):
        return L.mean(self.cost(self.hidden(x), label))


MODELS = [ConvNet, Norms, Words, SparseWords, Recurrent, Gated, Attention, Spectral, Shared, Bilinear, Old, Normalised,
          Lists, Settings, Sampled]  # fmt: skip


def batches(kind):
    rng = np.random.RandomState(7)
    for _ in range(STEPS):
        ids = kind == "ids"
        x = rng.randint(0, 10, SHAPES[kind]).astype("int64") if ids else rng.rand(*SHAPES[kind]).astype("float32")
        yield x, rng.randint(0, 3, (6, 1)).astype("int64")


def loss_of(model, x, label):
    if isinstance(model, Sampled):
        return model.loss(x, label)
    return L.mean(L.softmax_with_cross_entropy(model(x), label))


def initial(model):
    rng = np.random.RandomState(3)
    found = {name: (rng.rand(*value.shape).astype("float32") - 0.5) * 0.4 for name, value in model.state_dict().items()}
    return {name: np.abs(value) + 1 if name.endswith("_variance") else value for name, value in found.items()}


def imperatively(make, optimizer, schedule):
    with D.guard():
        model = make()
        data = [[D.to_variable(value) for value in batch] for batch in batches(model.takes)]
        loss_of(model, *data[0])  # builds the layers of 1.5
        model.set_dict(initial(model))
        update = optimizer(schedule(), parameter_list=model.parameters())
        losses = []
        for x, label in data:
            loss = loss_of(model, x, label)
            loss.backward()
            update.minimize(loss)
            model.clear_gradients()
            losses.append(float(loss))
        return losses


def as_a_program(make, optimizer, schedule):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup):
        shape = [None, *SHAPES[make.takes][1:]]
        x = fluid.data("x", shape, "int64" if make.takes == "ids" else "float32")
        label = fluid.data("label", [None, 1], "int64")
        model = make()
        loss = loss_of(model, x, label)
        optimizer(schedule()).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        model.set_dict(initial(model))
        feeds = ({"x": a, "label": b} for a, b in batches(make.takes))
        return [exe.run(main, feed=feed, fetch_list=[loss])[0].item() for feed in feeds]


def clipped_adam(rate, **settings):
    clip = fluid.clip.GradientClipByGlobalNorm(0.2)
    return O.Adam(rate, grad_clip=clip, regularization=fluid.regularizer.L2Decay(0.01), **settings)


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("optimizer", [O.SGD, clipped_adam], ids=["sgd", "clipped_adam"])
def test_the_losses_are_the_same(make, optimizer):
    def schedule():
        return L.exponential_decay(0.1, 2, 0.5)  # operators of a program, or a LearningRateDecay

    first, second = imperatively(make, optimizer, schedule), as_a_program(make, optimizer, schedule)
    np.testing.assert_allclose(first, second, rtol=1e-5, atol=1e-5)
    assert len(set(first)) == STEPS


SCHEDULES = {
    "noam": lambda: L.noam_decay(16, 3),
    "natural": lambda: L.natural_exp_decay(0.1, 2, 0.5, True),
    "inverse": lambda: L.inverse_time_decay(0.1, 2, 0.5),
    "polynomial": lambda: L.polynomial_decay(0.1, 4),
    "piecewise": lambda: L.piecewise_decay([1, 3], [0.1, 0.05, 0.01]),
    "cosine": lambda: L.cosine_decay(0.1, 2, 3),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_gives_the_same_losses(schedule):
    def momentum(rate, **settings):
        return O.Momentum(rate, 0.9, **settings)

    make = SCHEDULES[schedule]
    np.testing.assert_allclose(imperatively(Shared, momentum, make), as_a_program(Shared, momentum, make), atol=1e-5)
