"""Training step of a 2-layer LSTM language model in Fluid 1.8, unrolled by a Python loop: the small PTB model."""

import paddle.fluid as fluid
from paddle.fluid.dygraph import Embedding, Linear
from workloads import data


class Cell(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.gates = Linear(2 * data.LSTM_HIDDEN, 4 * data.LSTM_HIDDEN)

    def forward(self, x, hidden, cell):
        gates = self.gates(fluid.layers.concat([x, hidden], 1))
        i, j, f, o = fluid.layers.split(gates, num_or_sections=4, dim=-1)
        cell = cell * fluid.layers.sigmoid(f) + fluid.layers.sigmoid(i) * fluid.layers.tanh(j)
        return fluid.layers.tanh(cell) * fluid.layers.sigmoid(o), cell


class LanguageModel(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = Embedding(size=[data.LSTM_VOCABULARY, data.LSTM_HIDDEN])
        self.lower = Cell()
        self.upper = Cell()
        self.softmax = Linear(data.LSTM_HIDDEN, data.LSTM_VOCABULARY)

    def forward(self, words, targets, zeros):
        embedded = self.embedding(words)
        hidden_1, cell_1, hidden_2, cell_2 = zeros, zeros, zeros, zeros
        outputs = []
        for t in range(data.LSTM_STEPS):
            hidden_1, cell_1 = self.lower(embedded[:, t], hidden_1, cell_1)
            hidden_2, cell_2 = self.upper(hidden_1, hidden_2, cell_2)
            outputs.append(hidden_2)
        outputs = fluid.layers.reshape(fluid.layers.concat(outputs, 1), [-1, data.LSTM_HIDDEN])
        targets = fluid.layers.reshape(targets, [-1, 1])
        loss = fluid.layers.softmax_with_cross_entropy(self.softmax(outputs), targets)
        return fluid.layers.reduce_mean(loss)


def imperative(model_class=LanguageModel):
    fluid.enable_dygraph(fluid.CPUPlace())
    model = model_class()
    clip = fluid.clip.GradientClipByGlobalNorm(data.LSTM_CLIP)
    sgd = fluid.optimizer.SGD(learning_rate=1.0, parameter_list=model.parameters(), grad_clip=clip)
    arrays = data.lstm()

    def step():
        loss = model(*[fluid.dygraph.to_variable(array) for array in arrays])
        loss.backward()
        sgd.minimize(loss)
        model.clear_gradients()
        return loss.numpy()

    return step
