"""Training steps of two processes in Fluid: DataParallel, and a static program in nccl2 mode."""

import os

import numpy as np

import paddle.fluid as fluid
from workloads import data, lstm_fluid, mnist_fluid, pair


def _imperative(function, make, make_optimizer, arrays):
    pair.join(__name__, function)
    fluid.enable_dygraph(fluid.CPUPlace())
    layer = make()
    model = fluid.dygraph.DataParallel(layer, fluid.dygraph.prepare_context())
    optimizer = make_optimizer(layer.parameters())

    def step():
        loss = model.scale_loss(model(*[fluid.dygraph.to_variable(array) for array in arrays]))
        loss.backward()
        model.apply_collective_grads()
        optimizer.minimize(loss)
        model.clear_gradients()
        return loss.numpy()

    return step


class WithLoss(fluid.dygraph.Layer):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, label):
        return fluid.layers.mean(fluid.layers.cross_entropy(self.network(x), label))


class Perceptron(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        width = data.MLP_WIDTH
        self.first = fluid.dygraph.Linear(width, width, act="relu")
        self.second = fluid.dygraph.Linear(width, width, act="relu")
        self.third = fluid.dygraph.Linear(width, width, act="softmax")

    def forward(self, x):
        return self.third(self.second(self.first(x)))


class LanguageModel(lstm_fluid.LanguageModel):
    def __init__(self):
        super().__init__()
        self.embedding = fluid.dygraph.Embedding([data.LARGE_VOCABULARY, data.LSTM_HIDDEN], is_sparse=True)


def mnist():
    return _imperative(
        "mnist", lambda: WithLoss(mnist_fluid.MNIST()),
        lambda p: fluid.optimizer.Adam(learning_rate=0.001, parameter_list=p), data.mnist(),
    )  # fmt: skip


def mlp():
    return _imperative(
        "mlp", lambda: WithLoss(Perceptron()), lambda p: fluid.optimizer.SGD(0.01, parameter_list=p), data.mlp()
    )


def lstm():
    return _imperative(
        "lstm", LanguageModel, lambda p: fluid.optimizer.SGD(1.0, parameter_list=p), data.lstm_large_vocabulary()
    )


def mlp_static():
    pair.join(__name__, "mlp_static")
    width = data.MLP_WIDTH
    x = fluid.data(name="x", shape=[None, width], dtype="float32")
    label = fluid.data(name="label", shape=[None, 1], dtype="int64")
    hidden = fluid.layers.fc(fluid.layers.fc(x, size=width, act="relu"), size=width, act="relu")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(fluid.layers.fc(hidden, size=width, act="softmax"), label))
    fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
    rank = int(os.environ["PADDLE_TRAINER_ID"])
    config = fluid.DistributeTranspilerConfig()
    config.mode = "nccl2"
    fluid.DistributeTranspiler(config=config).transpile(
        trainer_id=rank, trainers=os.environ["PADDLE_TRAINER_ENDPOINTS"],
        current_endpoint=os.environ["PADDLE_CURRENT_ENDPOINT"],
    )  # fmt: skip
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    strategy = fluid.BuildStrategy()
    strategy.num_trainers, strategy.trainer_id = 2, rank
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
        loss.name, strategy, places=[fluid.CPUPlace()]
    )
    inputs, labels = data.mlp()

    def step():
        return np.array(exe.run(program, feed={"x": inputs, "label": labels}, fetch_list=[loss])[0])

    return step
