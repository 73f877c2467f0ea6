"""Layers and trainings of the imperative mode in plain Fluid code: their names, state and losses."""

import numpy as np
from training import STEPS, fixed_value

import paddle.fluid as fluid
from paddle.fluid import dygraph, layers

MODELS = {}


def model(cls):
    MODELS[cls.__name__] = cls
    return cls


@model
class Digits(dygraph.Layer):
    """A small digit recogniser: convolution, pooling, two linear layers."""

    def __init__(self):
        super(Digits, self).__init__()
        self.conv = dygraph.Conv2D(1, 4, 3, stride=1, act="relu")
        self.pool = dygraph.Pool2D(pool_size=2, pool_stride=2, pool_type="max")
        self.hidden = dygraph.Linear(36, 6, act="tanh")
        self.out = dygraph.Linear(6, 3, act="softmax")

    def forward(self, x):
        x = layers.reshape(self.pool(self.conv(x)), [-1, 36])
        return self.out(self.hidden(x))


@model
class Block(dygraph.Layer):
    """Many kinds of layers, lists, a buffer-like statistic and a parameter of its own: names and keys."""

    def __init__(self):
        super(Block, self).__init__("block")
        self.conv = dygraph.Conv2D(1, 2, 3, padding=1, bias_attr=False)
        self.norm = dygraph.BatchNorm(2, act="relu")
        self.chain = dygraph.Sequential(dygraph.Linear(8, 8), dygraph.LayerNorm(8), dygraph.Linear(8, 4))
        self.several = dygraph.LayerList([dygraph.Linear(4, 4) for _ in range(2)])
        self.words = dygraph.Embedding(size=[5, 4], param_attr=fluid.ParamAttr(name="words"))
        self.scale = self.create_parameter([4], dtype="float32")
        self.several_parameters = dygraph.ParameterList([self.create_parameter([4], dtype="float32")])
        # 1.8.5 makes no weights for a GroupNorm that is given no attributes
        self.group = dygraph.GroupNorm(channels=2, groups=1, param_attr=fluid.ParamAttr(), bias_attr=fluid.ParamAttr())

    def forward(self, x):
        x = self.group(self.norm(self.conv(x)))
        x = layers.reduce_mean(self.chain(x), dim=[1, 2])
        for layer in self.several:
            x = layer(x)
        word = self.words(dygraph.to_variable(np.zeros([1, 1], "int64")))
        x = x * self.scale + layers.reshape(word, [1, 4])
        return layers.softmax(x + self.several_parameters[0])


OPTIMIZERS = {
    "adam": lambda parameters: fluid.optimizer.Adam(0.01, parameter_list=parameters),
    "adam_piecewise": lambda parameters: fluid.optimizer.Adam(
        dygraph.PiecewiseDecay([2, 4], [0.1, 0.05, 0.01], 0), parameter_list=parameters
    ),
    "momentum_l2_clip": lambda parameters: fluid.optimizer.Momentum(
        0.1,
        0.9,
        parameter_list=parameters,
        regularization=fluid.regularizer.L2Decay(0.1),
        grad_clip=fluid.clip.GradientClipByGlobalNorm(0.1),
    ),
    "sgd_l1_value": lambda parameters: fluid.optimizer.SGD(
        0.5,
        parameter_list=parameters,
        regularization=fluid.regularizer.L1Decay(0.01),
        grad_clip=fluid.clip.GradientClipByValue(0.05, -0.02),
    ),
    "adagrad": lambda parameters: fluid.optimizer.Adagrad(0.1, parameter_list=parameters),
    "rmsprop": lambda parameters: fluid.optimizer.RMSProp(0.01, momentum=0.5, parameter_list=parameters),
    "lamb": lambda parameters: fluid.optimizer.Lamb(0.1, parameter_list=parameters),
}


def train(model_name, optimizer_name):
    """Five steps on one batch from fixed parameters: losses, gradients of the first step, state after the last."""
    with dygraph.guard(), fluid.unique_name.guard():
        layer = MODELS[model_name]()
        trainable = [parameter for parameter in layer.parameters() if parameter.trainable]
        for index, parameter in enumerate(sorted(trainable, key=lambda parameter: parameter.name)):
            parameter.set_value(fixed_value(index, parameter.shape))
        optimizer = OPTIMIZERS[optimizer_name](layer.parameters())
        random = np.random.RandomState(1)
        image = random.uniform(-1, 1, [5, 1, 8, 8]).astype("float32")
        label = random.randint(0, 3, [5, 1]).astype("int64")
        recorded = {"losses": []}
        for step in range(STEPS):
            prediction = layer(dygraph.to_variable(image))
            loss = layers.mean(layers.cross_entropy(prediction, dygraph.to_variable(label)))
            loss.backward()
            if step == 0:
                recorded["gradients"] = {p.name: p.gradient() for p in trainable}
            optimizer.minimize(loss)
            layer.clear_gradients()
            recorded["losses"].append(float(loss.numpy()[0]))
        recorded["parameter_names"] = [parameter.name for parameter in layer.parameters()]
        recorded["named_parameters"] = {key: parameter.name for key, parameter in layer.named_parameters()}
        recorded["sublayer_names"] = {key: sub.full_name() for key, sub in layer.named_sublayers()}
        recorded["full_name"] = layer.full_name()
        recorded["state_keys"] = list(layer.state_dict().keys())
        recorded["state"] = {key: value.numpy() for key, value in layer.state_dict().items()}
        recorded["optimizer_state"] = optimizer_state(optimizer)
        return recorded


def optimizer_state(optimizer):
    state = optimizer.state_dict()
    return {key: value.numpy() if hasattr(value, "numpy") else value for key, value in state.items()}
