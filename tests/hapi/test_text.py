"""Layers for sequences, against numpy and against themselves, in both modes."""

import numpy as np
import pytest
from tests.hapi.digits import MODES, in_mode

import paddle.fluid as fluid
from paddle.incubate.hapi import text
from paddle.incubate.hapi.loss import Loss, SoftmaxWithCrossEntropy
from paddle.incubate.hapi.metrics import Accuracy
from paddle.incubate.hapi.model import Input, Model

BATCH, STEPS, WIDTH, HIDDEN = 3, 5, 4, 6


def sequences(width=WIDTH, steps=STEPS):
    return np.random.RandomState(0).randn(BATCH, steps, width).astype("float32")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def flat(values):
    """Variables or arrays in nested lists, as one list."""
    return [one for value in values for one in flat(value)] if isinstance(values, list | tuple) else [values]


def called(make, *arrays, same_steps=True, **options):
    """What a layer gives in both modes from equal parameters; and these parameters.

    same_steps: else the static mode may go on for some steps (axis 1) after the imperative one has ended.
    """
    with in_mode("imperative"):
        layer = make()
        layer.eval()
        variables = [fluid.dygraph.to_variable(array) for array in arrays]
        named = {name: fluid.dygraph.to_variable(array) for name, array in options.items()}
        got = [var.numpy() for var in flat(layer(*variables, **named))]
        params = {name: var.numpy() for name, var in layer.state_dict().items()}
    with in_mode("static"):
        layer = make()
        layer.eval()
        variables = [fluid.data(f"x{i}", [-1, *a.shape[1:]], str(a.dtype)) for i, a in enumerate(arrays)]
        named = {name: fluid.data(name, [-1, *a.shape[1:]], str(a.dtype)) for name, a in options.items()}
        outs = flat(layer(*variables, **named))
        exe = fluid.Executor()
        exe.run(fluid.default_startup_program())
        layer.set_dict(params)
        feed = {**{f"x{i}": a for i, a in enumerate(arrays)}, **options}
        for one, other in zip(exe.run(feed=feed, fetch_list=outs), got, strict=True):
            one = one if same_steps else one[:, : other.shape[1]]
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    return got, params


def lstm(x, params, prefix="cell.cells.0.", order=None, lengths=None, forget_bias=1.0):
    weight, bias = params[prefix + "weight"], params[prefix + "bias"]
    h = c = np.zeros((len(x), weight.shape[1] // 4), "float32")
    out = np.zeros((*x.shape[:2], h.shape[1]), "float32")
    for t in order or range(x.shape[1]):
        i, j, f, o = np.split(np.concatenate([x[:, t], h], 1) @ weight + bias, 4, axis=1)
        new_c = c * sigmoid(f + forget_bias) + sigmoid(i) * np.tanh(j)
        out[:, t] = new_h = sigmoid(o) * np.tanh(new_c)
        on = np.ones((len(x), 1)) if lengths is None else (t < lengths)[:, None]
        h, c = np.where(on, new_h, h), np.where(on, new_c, c)
    return out, h, c


def gru(x, params, prefix="cell.cells.0."):
    gate, gate_bias = params[prefix + "gate_weight"], params[prefix + "gate_bias"]
    candidate, bias = params[prefix + "candidate_weight"], params[prefix + "candidate_bias"]
    h, out = np.zeros((len(x), candidate.shape[1]), "float32"), []
    for t in range(x.shape[1]):
        r, u = np.split(sigmoid(np.concatenate([x[:, t], h], 1) @ gate + gate_bias), 2, axis=1)
        h = u * h + (1 - u) * np.tanh(np.concatenate([x[:, t], r * h], 1) @ candidate + bias)
        out.append(h)
    return np.stack(out, 1), h


def close(got, expected):
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_lstm():
    x = sequences()
    got, params = called(lambda: text.LSTM(WIDTH, HIDDEN), x)
    close(got, lstm(x, params))


def test_lstm_backwards_and_with_time_first():
    x = sequences()
    got, params = called(lambda: text.LSTM(WIDTH, HIDDEN, is_reverse=True), x)
    close(got, lstm(x, params, order=range(STEPS - 1, -1, -1)))
    rnn = lambda: text.RNN(text.BasicLSTMCell(WIDTH, HIDDEN, forget_bias=0.0), time_major=True)  # noqa: E731
    with in_mode("imperative"):
        layer = rnn()
        out, _ = layer(fluid.dygraph.to_variable(x.transpose(1, 0, 2)))
        params = {name: var.numpy() for name, var in layer.state_dict().items()}
        expected, _, _ = lstm(x, params, "cell.", forget_bias=0.0)
        np.testing.assert_allclose(out.numpy().transpose(1, 0, 2), expected, rtol=1e-4, atol=1e-5)


def test_states_stay_after_the_end_of_a_sequence():
    x, lengths = sequences(), np.array([5, 2, 3])
    got, params = called(lambda: text.LSTM(WIDTH, HIDDEN), x, sequence_length=lengths)
    close(got, lstm(x, params, lengths=lengths))


def test_gru():
    x = sequences()
    got, params = called(lambda: text.GRU(WIDTH, HIDDEN), x)
    close(got, gru(x, params))


def test_layers_on_top_of_each_other():
    x = sequences()
    got, params = called(lambda: text.LSTM(WIDTH, HIDDEN, num_layers=2), x)
    below = lstm(x, params)
    above = lstm(below[0], params, "cell.cells.1.")
    close(got, [above[0], *below[1:], *above[1:]])


@pytest.mark.parametrize("merge_each_layer", [False, True])
def test_both_directions(merge_each_layer):
    x, backwards = sequences(), range(STEPS - 1, -1, -1)
    make = lambda: text.BidirectionalLSTM(WIDTH, HIDDEN, num_layers=2, merge_each_layer=merge_each_layer)  # noqa: E731
    got, params = called(make, x)

    def both(x, fw, bw):
        return lstm(x, params, fw)[0], lstm(x, params, bw, backwards)[0]

    if merge_each_layer:
        below = np.concatenate(both(x, "layers.0.rnn_fw.cell.", "layers.0.rnn_bw.cell."), -1)
        ahead, back = both(below, "layers.1.rnn_fw.cell.", "layers.1.rnn_bw.cell.")
    else:
        prefix = "layers.0.rnn_{}.cell.cells.{}."
        ahead = lstm(lstm(x, params, prefix.format("fw", 0))[0], params, prefix.format("fw", 1))[0]
        back = lstm(x, params, prefix.format("bw", 0), backwards)[0]
        back = lstm(back, params, prefix.format("bw", 1), backwards)[0]
    close(got[:1], [np.concatenate([ahead, back], -1)])


@pytest.mark.parametrize(
    ("mode", "merged"),
    [
        ("concat", lambda a, b: np.concatenate([a, b], -1)),
        ("sum", lambda a, b: a + b),
        ("ave", lambda a, b: (a + b) / 2),
        ("mul", lambda a, b: a * b),
        (lambda a, b: a - b, lambda a, b: a - b),
    ],
)
def test_ways_to_merge(mode, merged):
    with in_mode("imperative"):
        both = text.BidirectionalRNN(text.BasicGRUCell(WIDTH, HIDDEN), text.BasicGRUCell(WIDTH, HIDDEN), mode)
        x = fluid.dygraph.to_variable(sequences())
        ahead, back = both.rnn_fw(x)[0].numpy(), both.rnn_bw(x)[0].numpy()
        np.testing.assert_allclose(both(x)[0].numpy(), merged(ahead, back), rtol=1e-5)
        both.merge = text.BidirectionalRNN(both.rnn_fw.cell, both.rnn_bw.cell, "zip").merge
        close([one.numpy() for one in both(x)[0]], [ahead, back])


def test_states_of_ones_own():
    x = sequences()
    with in_mode("imperative"):
        rnn, var = text.GRU(WIDTH, HIDDEN, num_layers=2), fluid.dygraph.to_variable(x)
        whole, last = rnn(var)
        _, middle = rnn(fluid.dygraph.to_variable(x[:, :3]))
        rest, also = rnn(fluid.dygraph.to_variable(x[:, 3:]), middle)
        np.testing.assert_allclose(rest.numpy(), whole.numpy()[:, 3:], rtol=1e-5)
        close([one.numpy() for one in also], [one.numpy() for one in last])


@pytest.mark.parametrize(
    "make",
    [
        lambda: text.BidirectionalLSTM(WIDTH, HIDDEN, num_layers=2),
        lambda: text.BidirectionalGRU(WIDTH, HIDDEN, num_layers=2, merge_each_layer=True),
        lambda: text.LSTM(WIDTH, HIDDEN, is_reverse=True),
    ],
)
def test_padding_changes_nothing(make):
    x, lengths = sequences(), [5, 2, 1]
    with in_mode("imperative"):
        rnn, var = make(), fluid.dygraph.to_variable
        out, states = rnn(var(x), sequence_length=var(np.array(lengths)))
        for i, length in enumerate(lengths):
            alone, last = rnn(var(x[i : i + 1, :length]))
            close([out.numpy()[i, :length]], [alone.numpy()[0]])
            close([one.numpy()[i] for one in flat(states)], [one.numpy()[0] for one in flat(last)])


def test_names_given_to_parameters_stay_apart():
    with in_mode("static"):
        names = {param.name for param in text.GRU(WIDTH, HIDDEN, num_layers=2, param_attr="w").parameters()}
        assert {"w_0_gate", "w_0_candidate", "w_1_gate", "w_1_candidate"} <= names


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(q, k, params, prefix="", heads=2, width=3, bias=0.0):
    def split(x, name):
        y = x @ params[f"{prefix}{name}.weight"]
        return y.reshape(*y.shape[:2], heads, width).transpose(0, 2, 1, 3)

    weights = softmax(split(q, "q_fc") @ split(k, "k_fc").transpose(0, 1, 3, 2) / np.sqrt(width) + bias)
    joined = (weights @ split(k, "v_fc")).transpose(0, 2, 1, 3).reshape(*q.shape[:2], -1)
    return joined @ params[f"{prefix}proj_fc.weight"]


def hidden_after(lengths, steps):
    hide = np.where(np.arange(steps) < np.array(lengths)[:, None], 0.0, -1e9)
    return hide[:, None, None, :].astype("float32").repeat(2, 1).repeat(steps, 2)


def test_attention():
    x, y = sequences(8), sequences(8, steps=7)
    make = lambda: text.MultiHeadAttention(3, 3, 8, n_head=2)  # noqa: E731
    got, params = called(make, x)
    close(got, [attention(x, x, params)])
    got, params = called(make, x, y, y)
    close(got, [attention(x, y, params)])
    bias = hidden_after([5, 2, 3], STEPS)
    got, params = called(make, x, attn_bias=bias)
    close(got, [attention(x, x, params, bias=bias)])


def test_an_encoder_sees_nothing_that_is_hidden():
    x = sequences(8)
    other = x.copy()
    other[1, 2:] += 100
    bias = hidden_after([5, 2, 3], STEPS)
    outs = []
    with in_mode("imperative"):
        encoder = text.TransformerEncoder(2, 2, 4, 4, 8, 16)
        encoder.eval()
        for one in (x, other):
            outs.append(encoder(fluid.dygraph.to_variable(one), fluid.dygraph.to_variable(bias)).numpy())
    np.testing.assert_allclose(outs[0][1, :2], outs[1][1, :2], rtol=1e-5)
    assert not np.allclose(outs[0][1, 2:], outs[1][1, 2:])
    assert called(lambda: text.TransformerEncoder(2, 2, 4, 4, 8, 16), x)[0][0].shape == x.shape


def test_a_decoder_with_caches_gives_what_it_gives_at_once():
    x, encoded = sequences(8), sequences(8, steps=7)
    later = np.triu(np.full((STEPS, STEPS), -1e9, "float32"), 1)[None, None].repeat(BATCH, 0).repeat(2, 1)
    with in_mode("imperative"):
        decoder = text.TransformerDecoder(2, 2, 4, 4, 8, 16)
        decoder.eval()
        source = fluid.dygraph.to_variable(encoded)
        whole = decoder(fluid.dygraph.to_variable(x), source, fluid.dygraph.to_variable(later)).numpy()
        caches = decoder.prepare_static_cache(source)
        steps = [
            decoder(fluid.dygraph.to_variable(x[:, t : t + 1]), source, caches=caches).numpy() for t in range(STEPS)
        ]
    np.testing.assert_allclose(np.concatenate(steps, 1), whole, rtol=1e-4, atol=1e-5)
    called(lambda: text.TransformerDecoder(1, 2, 4, 4, 8, 16), x, encoded)


def test_convolutions_over_time():
    x = sequences().transpose(0, 2, 1).copy()
    got, params = called(lambda: text.Conv1dPoolLayer(WIDTH, 2, 3, 2), x)
    weight, bias = params["_conv2d.weight"][..., 0], params["_conv2d.bias"]
    conv = np.stack([np.einsum("bct,fct->bf", x[:, :, t : t + 3], weight) + bias for t in range(3)], 2)
    close(got, [np.maximum(conv[:, :, :-1], conv[:, :, 1:])])
    make = lambda: text.CNNEncoder(WIDTH, [2, 3], [2, 3], 1, 2, global_pooling=True, act="tanh")  # noqa: E731
    assert called(make, x)[0][0].shape == (BATCH, 5, 1)


class Speaker(fluid.dygraph.Layer):
    """Says the most probable sequences of tokens that a cell with random parameters can say."""

    def __init__(self, steps, words=7, width=4, beams=3):
        super().__init__()
        rng = np.random.RandomState(3)
        table, weight = rng.randn(words, width), rng.randn(2 * width, 4 * width) * 1.5
        bias, out = rng.randn(4 * width), rng.randn(width, words) * 2
        self.states = [rng.randn(2, width).astype("float32") for _ in range(2)]
        self.embedding = fluid.dygraph.Embedding([words, width], param_attr=fixed(table))
        self.cell = text.BasicLSTMCell(width, width, fixed(weight), fixed(bias))
        self.out = fluid.dygraph.Linear(width, words, param_attr=fixed(out), bias_attr=False)
        search = text.BeamSearchDecoder(self.cell, 0, 1, beams, self.embedding, self.out)
        self.decode = text.DynamicDecode(search, max_step_num=steps, is_test=True, return_length=True)

    def forward(self, hidden, cell):
        tokens, states, lengths = self.decode([hidden, cell])
        return tokens, lengths, states.log_probs


def fixed(array):
    return fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(array.astype("float32")))


# From 1.8.5: tokens of the first of two sequences, step by step, for three beams; lengths and scores of both.
SAID = [[5, 5, 5], [1, 0, 0], [1, 5, 6], [1, 6, 6], [1, 1, 6], [1, 1, 6], [1, 1, 1]]
LENGTHS = [[2, 5, 7], [2, 12, 14]]
SCORES = [[-1.0291, -4.8709, -5.4531], [-1.6741, -14.0534, -16.8291]]


def test_beam_search_as_in_fluid():
    tokens, lengths, scores = called(lambda: Speaker(30), *Speaker(1).states, same_steps=False)[0]
    assert tokens.shape == (2, 14, 3)  # until all have ended
    assert tokens[0, :7].tolist() == SAID and (tokens[0, 7:] == 1).all()
    assert lengths.tolist() == LENGTHS
    np.testing.assert_allclose(scores, SCORES, atol=1e-4)
    tokens, lengths, _ = called(lambda: Speaker(3), *Speaker(1).states)[0]
    assert tokens.shape == (2, 4, 3) and lengths.tolist() == [[2, 4, 4], [2, 4, 4]]


class Tagger(Model):
    """Tags every step with the number of its largest element."""

    def __init__(self):
        super().__init__()
        self.rnn = text.BidirectionalGRU(WIDTH, HIDDEN)
        self.fc = fluid.dygraph.Linear(2 * HIDDEN, WIDTH)
        self.crf = text.LinearChainCRF(size=WIDTH)
        self.decoding = text.CRFDecoding(size=WIDTH)
        self.decoding.weight = self.crf.weight

    def forward(self, x, length):
        emission = self.fc(self.rnn(x, sequence_length=fluid.layers.squeeze(length, [1]))[0])
        return emission, length, self.decoding(emission, length=length)


class TagCost(Loss):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, outputs, labels):
        return self.model.crf(outputs[0], labels[0], outputs[1])


@pytest.mark.parametrize("mode", MODES)
def test_a_tagger_learns(mode):
    rng = np.random.RandomState(0)
    x = rng.randn(64, STEPS, WIDTH).astype("float32")
    tags, lengths = x.argmax(-1)[..., None], rng.randint(2, STEPS + 1, (64, 1))
    with in_mode(mode):
        fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = 1
        model = Tagger()
        model.prepare(
            fluid.optimizer.Adam(0.03, parameter_list=model.parameters()), TagCost(model),
            inputs=[Input([None, STEPS, WIDTH], name="x"), Input([None, 1], "int64", name="length")],
            labels=Input([None, STEPS, 1], "int64", name="tags"),
        )  # fmt: skip
        losses = [model.train_batch([x, lengths], [tags])[0][0] for _ in range(60)]
        best = model.test_batch([x, lengths])[2]
    assert losses[-1] < 0.2 * losses[0]
    seen = np.arange(STEPS) < lengths
    assert (best == tags[..., 0])[seen].mean() > 0.95


class Reader(Model):
    def __init__(self):
        super().__init__()
        self.lstm = text.LSTM(WIDTH, HIDDEN, num_layers=2, dropout=0.1)
        self.fc = fluid.dygraph.Linear(HIDDEN, 2)

    def forward(self, x):
        _, states = self.lstm(x)
        return self.fc(states[-1][0])


@pytest.mark.parametrize("mode", MODES)
def test_a_reader_of_sequences_learns(mode):
    x = np.random.RandomState(0).randn(64, STEPS, WIDTH).astype("float32")
    positive = (x[:, :, 0].sum(1) > 0).astype("int64")[:, None]
    with in_mode(mode):
        fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = 1
        model = Reader()
        model.prepare(
            fluid.optimizer.Adam(0.03, parameter_list=model.parameters()), SoftmaxWithCrossEntropy(), Accuracy(),
            Input([None, STEPS, WIDTH], name="x"), Input([None, 1], "int64", name="label"),
        )  # fmt: skip
        model.fit([(x, positive)], epochs=80, verbose=0)
        assert model.evaluate([(x, positive)], verbose=0)["acc"] > 0.95


def test_double_precision():
    values, lengths = sequences().astype("float64"), np.array([5, 2, 3])
    got, _ = called(lambda: text.LSTM(WIDTH, HIDDEN, dtype="float64"), values, sequence_length=lengths)
    assert {one.dtype for one in got} == {np.dtype("float64")}
