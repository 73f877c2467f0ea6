"""A model class written once trains in both modes, from the same parameters to the same losses."""

import numpy as np
import pytest

import paddle.fluid as fluid


class Network(fluid.dygraph.Layer):
    """Convolution, pooling, batch norm, a sum that branches, and a loss."""

    def __init__(self):
        super().__init__()
        self.convolution = fluid.dygraph.Conv2D(1, 4, 3, act="relu")
        self.pool = fluid.dygraph.Pool2D(2, "max", 2)
        self.norm = fluid.dygraph.BatchNorm(4)
        self.hidden = fluid.dygraph.Linear(36, 36, act="tanh")
        self.out = fluid.dygraph.Linear(36, 10)

    def forward(self, image, label):
        h = fluid.layers.reshape(self.norm(self.pool(self.convolution(image))), [-1, 36])
        h = h + self.hidden(h)
        return fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(self.out(h), label))


OPTIMIZERS = {
    "sgd": lambda **options: fluid.optimizer.SGD(0.1, **options),
    "momentum": lambda **options: fluid.optimizer.Momentum(0.1, 0.9, use_nesterov=True, **options),
    "adam": lambda **options: fluid.optimizer.Adam(0.01, **options),
    "decayed": lambda **options: fluid.optimizer.Adagrad(
        0.1,
        regularization=fluid.regularizer.L2Decay(0.01),
        grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0),
        **options,
    ),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_both_modes_reach_the_same_losses(name):
    rng = np.random.RandomState(0)
    images = rng.rand(6, 8, 1, 8, 8).astype("float32")
    labels = rng.randint(0, 10, (6, 8, 1))
    with fluid.dygraph.guard():
        model = Network()
        start = {key: value.numpy().copy() for key, value in model.state_dict().items()}
        optimizer = OPTIMIZERS[name](parameter_list=model.parameters())
        imperative = []
        for image, label in zip(images, labels, strict=True):
            loss = model(fluid.dygraph.to_variable(image), fluid.dygraph.to_variable(label))
            loss.backward()
            optimizer.minimize(loss)
            model.clear_gradients()
            imperative.append(loss.numpy().item())
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.scope_guard(scope):
        model = Network()
        loss = model(fluid.data("image", [None, 1, 8, 8]), fluid.data("label", [None, 1], "int64"))
        OPTIMIZERS[name]().minimize(loss)
        exe = fluid.Executor()
        exe.run(startup)
        assert list(model.state_dict()) == list(start)
        for key, parameter in model.state_dict().items():
            scope.find_var(parameter.name).get_tensor().set(start[key], fluid.CPUPlace())
        static = [
            exe.run(main, feed={"image": image, "label": label}, fetch_list=[loss])[0].item()
            for image, label in zip(images, labels, strict=True)
        ]
    np.testing.assert_allclose(static, imperative, rtol=1e-5)
    assert static[-1] != static[0]
