"""Short trainings from fixed parameters in plain Fluid code, run alike by Fluid 1.8.5 (to record) and by Refluid."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers

TRAININGS = {}
STEPS = 5


def linear_net():
    """x [6, 4] -> y [6, 1], mean squared error."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    return layers.mean(layers.square_error_cost(layers.fc(x, size=1), y))


def mlp_net(first_attr=None, watch=None):
    """x [6, 4] -> 5 -> 3 classes; `watch` is called with the hidden variable."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")
    hidden = layers.fc(x, size=5, act="tanh", param_attr=first_attr)
    if watch:
        watch(hidden)
    return layers.mean(layers.softmax_with_cross_entropy(layers.fc(hidden, size=3), label))


def sparse_net():
    """Words (the same one several times in a batch) -> a table of 7 rows with sparse gradients -> 3 classes."""
    word = layers.data(name="word", shape=[1], dtype="int64")
    label = layers.data(name="label", shape=[1], dtype="int64")
    embedded = layers.embedding(word, size=[7, 4], is_sparse=True, param_attr="table")
    return layers.mean(layers.softmax_with_cross_entropy(layers.fc(embedded, size=3), label))


def feeds():
    """What all nets read: six samples. The words never touch rows 0 and 6."""
    random = np.random.RandomState(1)
    x = random.uniform(-1, 1, [6, 4]).astype("float32")
    return {
        "x": x,
        "y": x.dot(np.array([[4], [6], [7], [2]], "float32")),
        "label": random.randint(0, 3, [6, 1]).astype("int64"),
        "word": np.array([[1], [5], [1], [2], [1], [3]], "int64"),
        "sentence": fluid.create_lod_tensor(random.randint(0, 7, [14, 1]), [[3, 1, 4, 2, 1, 3]], fluid.CPUPlace()),
    }


def optimizer(name, make, net=mlp_net):
    """Register a training of `net` with the optimizer that `make()` gives."""
    TRAININGS[name] = lambda: minimize(net(), make())


def minimize(loss, optimizer):
    optimizer.minimize(loss)
    return loss, None


opt = fluid.optimizer
optimizer("linear_regression", lambda: opt.SGD(learning_rate=0.05), linear_net)
OPTIMIZERS = {
    "sgd": lambda: opt.SGD(learning_rate=0.1),
    "momentum": lambda: opt.Momentum(learning_rate=0.1, momentum=0.9),
    "momentum_nesterov": lambda: opt.Momentum(learning_rate=0.1, momentum=0.9, use_nesterov=True),
    "adagrad": lambda: opt.Adagrad(learning_rate=0.1, initial_accumulator_value=0.1),
    "adam": lambda: opt.Adam(learning_rate=0.1, beta1=0.8, beta2=0.9, epsilon=1e-4),
    "rmsprop": lambda: opt.RMSProp(learning_rate=0.1, rho=0.9, epsilon=1e-3, momentum=0.5),
    "rmsprop_centered": lambda: opt.RMSProp(learning_rate=0.1, rho=0.9, epsilon=1e-3, momentum=0.5, centered=True),
    "ftrl": lambda: opt.Ftrl(learning_rate=0.1, l1=0.01, l2=0.02, lr_power=-0.5),
}
for _name, _make in OPTIMIZERS.items():
    optimizer(_name, _make)
    if _name != "ftrl":  # Fluid 1.8.5 has no ftrl for sparse gradients
        optimizer(_name + "_sparse", _make, sparse_net)
optimizer("ftrl_power", lambda: opt.Ftrl(learning_rate=0.1, l1=0.01, l2=0.02, lr_power=-0.7))
optimizer("adam_lazy_sparse", lambda: opt.Adam(learning_rate=0.1, lazy_mode=True), sparse_net)
optimizer("lars_momentum", lambda: opt.LarsMomentum(0.1, 0.9, lars_coeff=0.1, lars_weight_decay=0.01))
optimizer("adamax", lambda: opt.Adamax(learning_rate=0.1, beta1=0.8, beta2=0.9))
optimizer("decayed_adagrad", lambda: opt.DecayedAdagrad(learning_rate=0.1, decay=0.9, epsilon=1e-3))
optimizer("adadelta", lambda: opt.Adadelta(learning_rate=0.1, epsilon=1e-2, rho=0.9))
optimizer("lamb", lambda: opt.Lamb(learning_rate=0.1, lamb_weight_decay=0.02, beta1=0.8, beta2=0.9))
optimizer("lamb_sparse", lambda: opt.Lamb(learning_rate=0.1, lamb_weight_decay=0.02), sparse_net)
optimizer(
    "lamb_excluded",
    lambda: opt.Lamb(learning_rate=0.1, lamb_weight_decay=0.5, exclude_from_weight_decay_fn=lambda p: "b_0" in p.name),
)

L1, L2 = fluid.regularizer.L1Decay, fluid.regularizer.L2Decay
optimizer("l1_decay", lambda: opt.SGD(learning_rate=0.1, regularization=L1(0.1)))
optimizer("l2_decay", lambda: opt.SGD(learning_rate=0.1, regularization=L2(0.1)))
optimizer("l2_decay_momentum", lambda: opt.Momentum(learning_rate=0.1, momentum=0.9, regularization=L2(0.1)))
optimizer("l1_decay_sparse", lambda: opt.SGD(learning_rate=0.1, regularization=L1(0.1)), sparse_net)
optimizer("l2_decay_sparse", lambda: opt.SGD(learning_rate=0.1, regularization=L2(0.1)), sparse_net)


def training(function):
    TRAININGS[function.__name__] = function
    return function


@training
def l2_of_parameter_over_l1_for_all():
    loss = mlp_net(fluid.ParamAttr(regularizer=L2(0.5)))
    return minimize(loss, opt.SGD(learning_rate=0.1, regularization=L1(0.1)))


@training
def learning_rate_of_parameter():
    return minimize(mlp_net(fluid.ParamAttr(learning_rate=0.25)), opt.Momentum(learning_rate=0.2, momentum=0.5))


CLIPS = {
    "clip_by_value": lambda: fluid.clip.GradientClipByValue(max=0.05, min=-0.02),
    "clip_by_norm": lambda: fluid.clip.GradientClipByNorm(clip_norm=0.1),
    "clip_by_global_norm": lambda: fluid.clip.GradientClipByGlobalNorm(clip_norm=0.1),
}
for _name, _clip in CLIPS.items():
    optimizer(_name, lambda clip=_clip: opt.SGD(learning_rate=0.5, grad_clip=clip()))
    optimizer(_name + "_sparse", lambda clip=_clip: opt.SGD(learning_rate=0.5, grad_clip=clip()), sparse_net)


@training
def clip_and_regularize():
    """Both at once: the gradient is clipped first, then the penalty is added."""
    clip = fluid.clip.GradientClipByGlobalNorm(clip_norm=0.1)
    return minimize(mlp_net(), opt.SGD(learning_rate=0.5, regularization=L2(0.5), grad_clip=clip))


@training
def clip_set_for_all():
    """The clip of the whole program. (1.8.5 clips nothing if one parameter has none: no fixture for a part of them.)"""
    loss = mlp_net()
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByNorm(clip_norm=0.1))
    return minimize(loss, opt.SGD(learning_rate=0.5))


@training
def error_clip():
    """The gradient of a variable inside the network is clipped on its way back."""

    def watch(hidden):
        hidden.error_clip = fluid.clip.ErrorClipByValue(max=0.02, min=-0.01)

    return minimize(mlp_net(watch=watch), opt.SGD(learning_rate=0.5))


@training
def model_average():
    loss = mlp_net()
    opt.SGD(learning_rate=0.5).minimize(loss)
    return loss, opt.ModelAverage(0.5, min_average_window=2, max_average_window=3)


@training
def exponential_moving_average():
    loss = mlp_net()
    opt.SGD(learning_rate=0.5).minimize(loss)
    average = opt.ExponentialMovingAverage(0.9)
    average.update()
    return loss, average


@training
def lookahead():
    return minimize(mlp_net(), opt.LookaheadOptimizer(opt.SGD(learning_rate=0.5), alpha=0.4, k=2))


@training
def recompute():
    """What lies between the first and the last layer is computed again on the way back."""
    checkpoints = []
    x = layers.data(name="x", shape=[4], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    for _ in range(4):
        x = layers.fc(x, size=5, act="tanh")
        checkpoints.append(x)
    optimizer = opt.RecomputeOptimizer(opt.Momentum(learning_rate=0.02, momentum=0.9))
    optimizer._set_checkpoints(checkpoints[::2])
    return minimize(layers.mean(layers.square_error_cost(layers.fc(x, size=1), y)), optimizer)


@training
def lstm_and_gru():
    """Sentences of different lengths -> an LSTM with peepholes -> a GRU backwards -> 3 classes."""
    sentence = layers.data(name="sentence", shape=[1], dtype="int64", lod_level=1)
    label = layers.data(name="label", shape=[1], dtype="int64")
    words = layers.embedding(sentence, size=[7, 4], param_attr="table")
    hidden, _ = layers.dynamic_lstm(layers.fc(words, size=12), size=12)
    hidden = layers.dynamic_gru(layers.fc(hidden, size=9), size=3, is_reverse=True)
    scores = layers.fc(layers.sequence_pool(hidden, "max"), size=3)
    return minimize(layers.mean(layers.softmax_with_cross_entropy(scores, label)), opt.Adam(learning_rate=0.05))


@training
def projected_lstm():
    """Sentences -> an LSTM with a projection -> 3 classes."""
    sentence = layers.data(name="sentence", shape=[1], dtype="int64", lod_level=1)
    label = layers.data(name="label", shape=[1], dtype="int64")
    words = layers.embedding(sentence, size=[7, 4], param_attr="table")
    shown, _ = layers.dynamic_lstmp(layers.fc(words, size=12), size=12, proj_size=2)
    scores = layers.fc(layers.sequence_last_step(shown), size=3)
    return minimize(layers.mean(layers.softmax_with_cross_entropy(scores, label)), opt.SGD(learning_rate=0.5))


def fixed_value(index, shape):
    """The value that the parameter at this place (in the order of names) starts from."""
    return np.random.RandomState(index).uniform(-0.5, 0.5, shape).astype("float32")


def run(name):
    """Run a registered training; returns its losses and every persistable variable after the last step."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup), fluid.scope_guard(scope):
        loss, average = TRAININGS[name]()
        place = fluid.CPUPlace()
        executor = fluid.Executor(place)
        executor.run(startup)
        parameters = sorted(main.all_parameters(), key=lambda parameter: parameter.name)
        for index, parameter in enumerate(parameters):
            slow = scope.find_var(parameter.name + "@SLOW")  # Lookahead starts both weights at one point
            for holder in [scope.find_var(parameter.name)] + ([slow] if slow else []):
                holder.get_tensor().set(fixed_value(index, parameter.shape), place)
        feed = {key: value for key, value in feeds().items() if main.global_block().has_var(key)}
        losses = [float(executor.run(main, feed, [loss])[0][0]) for _ in range(STEPS)]
        recorded = {"losses": losses, "values": persistables(main, scope)}
        if average:
            with average.apply(executor):
                recorded["averaged"] = {p.name: np.array(scope.find_var(p.name).get_tensor()) for p in parameters}
        return recorded


def persistables(program, scope):
    names = sorted(var.name for var in program.list_vars() if var.persistable)
    return {name: np.array(scope.find_var(name).get_tensor()) for name in names}
