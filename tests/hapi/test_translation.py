"""Translators of sequences whose lengths nobody knows beforehand: equal numbers in both modes."""

import numpy as np
from tests.hapi.digits import MODES, in_mode

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.incubate.hapi import text
from paddle.incubate.hapi.loss import Loss
from paddle.incubate.hapi.model import Input, Model

WORDS, WIDTH, BEAMS, STEPS = 12, 8, 3, 6
HIDDEN = -1e9


def words(name, rank=2):
    return Input([None] * rank, "int64", name=name)


class WordCost(Loss):
    def forward(self, outputs, labels):
        return layers.softmax_with_cross_entropy(outputs[0], labels[0])


class AttentionCell(text.RNNCell):
    """Two LSTMs and a look at what was encoded, which the next step is fed with."""

    def __init__(self):
        super().__init__()
        self.lstm = text.StackedLSTMCell(2 * WIDTH, WIDTH, num_layers=2)
        self.out = fluid.dygraph.Linear(2 * WIDTH, WIDTH)

    def forward(self, x, states, encoded, hide):
        lstm, feed = states
        hidden, lstm = self.lstm(layers.concat([x, feed], 1), lstm)
        scores = layers.matmul(layers.unsqueeze(hidden, [1]), encoded, transpose_y=True)
        seen = layers.matmul(layers.softmax(scores + hide), encoded)
        out = self.out(layers.concat([layers.squeeze(seen, [1]), hidden], 1))
        return out, [lstm, out]


class Seq2Seq(Model):
    def __init__(self):
        super().__init__()
        self.embedding = fluid.dygraph.Embedding([WORDS, WIDTH])
        self.encoder = text.LSTM(WIDTH, WIDTH, num_layers=2)
        self.decoder = text.RNN(AttentionCell())
        self.out = fluid.dygraph.Linear(WIDTH, WORDS)

    def encoded(self, source, lengths):
        encoded, last = self.encoder(self.embedding(source), sequence_length=lengths)
        states = [last, self.decoder.cell.get_initial_states(encoded, shape=[WIDTH])]
        shown = layers.sequence_mask(lengths, maxlen=layers.shape(source)[1], dtype="float32")
        return encoded, states, layers.unsqueeze((shown - 1.0) * -HIDDEN, [1])

    def forward(self, source, lengths, target):
        encoded, states, hide = self.encoded(source, lengths)
        return self.out(self.decoder(self.embedding(target), states, encoded=encoded, hide=hide)[0])


class Translator(Seq2Seq):
    def __init__(self):
        super().__init__()
        search = text.BeamSearchDecoder(self.decoder.cell, 0, 1, BEAMS, self.embedding, self.out)
        self.decode = text.DynamicDecode(search, STEPS, is_test=True)

    def forward(self, source, lengths):
        encoded, states, hide = self.encoded(source, lengths)
        encoded, hide = (text.BeamSearchDecoder.tile_beam_merge_with_batch(one, BEAMS) for one in (encoded, hide))
        return self.decode(states, encoded=encoded, hide=hide)[0]


def trained_and_used(make, inputs, use, asked, batches, questions, folder):
    """In both modes: the losses of a training, and what a second model says with its parameters."""
    losses, said = {}, {}
    for mode in MODES:
        with in_mode(mode):
            model = make()
            model.prepare(
                fluid.optimizer.Adam(0.01, parameter_list=model.parameters()), WordCost(), inputs=inputs,
                labels=Input([None, None, 1], "int64", name="label"),
            )  # fmt: skip
            if mode == "static":
                model.save(f"{folder}/start")
            model.load(f"{folder}/start")
            losses[mode] = [model.train_batch(*batch)[0][0] for batch in batches]
            model.save(f"{folder}/end")
        with in_mode(mode):
            model = use()
            model.prepare(inputs=asked)
            model.load(f"{folder}/end")
            said[mode] = [model.test_batch(question) for question in questions]
    np.testing.assert_allclose(losses["static"], losses["imperative"], rtol=1e-5)
    for one, other in zip(said["static"], said["imperative"], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4)
    return said["static"]


def sentences(count, length, rng):
    lengths = rng.randint(1, length + 1, count)
    lengths[0] = length
    return rng.randint(2, WORDS, (count, length)), lengths


def test_attention_and_beam_search(tmp_path):
    rng, batches = np.random.RandomState(0), []
    for count, long, after in [(3, 5, 4), (2, 3, 6), (4, 7, 2), (3, 5, 4)]:
        labels = rng.randint(2, WORDS, (count, after, 1))
        batches.append(([*sentences(count, long, rng), rng.randint(2, WORDS, (count, after))], [labels]))
    asked = [words("source"), words("lengths", rank=1)]
    questions = [list(sentences(2, 4, rng)), list(sentences(3, 9, rng))]
    said = trained_and_used(Seq2Seq, [*asked, words("target")], Translator, asked, batches, questions, tmp_path)
    assert [tokens.shape for (tokens,) in said] == [(2, STEPS + 1, BEAMS), (3, STEPS + 1, BEAMS)]


class Embedder(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.words, self.places = (fluid.dygraph.Embedding([size, WIDTH]) for size in (WORDS, 20))

    def forward(self, words, places):
        return self.words(words) + self.places(places)


class Transformer(Model):
    def __init__(self):
        super().__init__()
        sizes = 2, 2, 4, 4, WIDTH, 16, 0.0, 0.0, 0.0
        self.source, self.target = Embedder(), Embedder()
        self.encoder, self.decoder = text.TransformerEncoder(*sizes), text.TransformerDecoder(*sizes)
        self.out = fluid.dygraph.Linear(WIDTH, WORDS)

    def forward(self, source, places, hide, target, target_places, later):
        encoded = self.encoder(self.source(source, places), hide)
        return self.out(self.decoder(self.target(target, target_places), encoded, later, hide))


class TransformerTranslator(Transformer):
    def __init__(self, static_caches=True):
        super().__init__()
        self.cell, self.static_caches = text.TransformerCell(self.decoder, self.target, self.out), static_caches
        search = text.TransformerBeamSearchDecoder(self.cell, 0, 1, BEAMS, var_dim_in_state=2)
        self.decode = text.DynamicDecode(search, STEPS, is_test=True)

    def forward(self, source, places, hide):
        encoded = self.encoder(self.source(source, places), hide)
        first = self.decoder.prepare_incremental_cache(encoded)
        if self.static_caches:
            first = self.cell.get_initial_states(encoded)
        encoded, hide = (
            text.TransformerBeamSearchDecoder.tile_beam_merge_with_batch(one, BEAMS) for one in (encoded, hide)
        )
        caches = self.decoder.prepare_static_cache(encoded) if self.static_caches else ()
        tokens, states = self.decode(first, enc_output=encoded, trg_src_attn_bias=hide, static_caches=caches)
        return tokens, states.log_probs


def source(count, length, rng):
    tokens, lengths = sentences(count, length, rng)
    hide = np.where(np.arange(length) < lengths[:, None], 0, HIDDEN).astype("float32")[:, None, None]
    return [tokens, np.tile(np.arange(length), (count, 1)), hide]


def not_later(length):
    return np.triu(np.full((1, 1, length, length), HIDDEN, "float32"), 1)


def searched(model, tokens, places, hide):
    """Beam search without caches or batches, one sentence at a time: [(tokens, score) of each beam]."""
    var = fluid.dygraph.to_variable
    encoded = model.encoder(model.source(var(tokens), var(places)), var(hide))
    beams = [([0], 0.0, False)]
    for _ in range(STEPS + 1):
        found = []
        for said, score, ended in beams:
            if ended:
                found.append((said, score, True))
                continue
            embedded = model.target(var(np.array([said])), var(np.arange(len(said))[None]))
            scores = model.out(model.decoder(embedded, encoded, var(not_later(len(said))), var(hide))).numpy()[0, -1]
            scores = scores - np.log(np.exp(scores).sum())
            found += [([*said, word], score + scores[word], word == 1) for word in range(WORDS)]
        beams = sorted(found, key=lambda beam: -beam[1])[:BEAMS]
    return [(said[1:], score) for said, score, _ in beams]


def test_a_transformer_and_its_beam_search(tmp_path):
    rng, batches = np.random.RandomState(0), []
    for count, long, after in [(3, 5, 4), (2, 3, 6), (4, 7, 2), (3, 5, 4)]:
        target, places = rng.randint(2, WORDS, (count, after)), np.tile(np.arange(after), (count, 1))
        labels = rng.randint(2, WORDS, (count, after, 1))
        batches.append(([*source(count, long, rng), target, places, not_later(after).repeat(count, 0)], [labels]))
    asked = [words("source"), words("places"), Input([None, 1, 1, None], name="hide")]
    inputs = [*asked, words("target"), words("target_places"), Input([None, 1, None, None], name="later")]
    questions = [source(2, 4, rng), source(3, 7, rng)]
    for use in (lambda: TransformerTranslator(static_caches=False), TransformerTranslator):
        said = trained_and_used(Transformer, inputs, use, asked, batches, questions, tmp_path)
    with in_mode("imperative"):
        model = Transformer()
        model.load(f"{tmp_path}/end")
        model.eval()
        for question, (tokens, scores) in zip(questions, said, strict=True):
            for i in range(len(tokens)):
                expected = searched(model, *(field[i : i + 1] for field in question))
                for beam, (one, score) in enumerate(expected):
                    assert tokens[i, : len(one), beam].tolist() == one
                    np.testing.assert_allclose(scores[i, beam], score, rtol=1e-4)


class TagCost(Loss):
    def forward(self, outputs, labels):
        return outputs[1]  # the network has it


class Tagging(Model):
    """As programs of the time were written: forward takes what it is given."""

    def __init__(self):
        super().__init__()
        self.network = text.SequenceTagging(WORDS, 4, 8, 8, crf_learning_rate=1.0, emb_learning_rate=1.0)

    def forward(self, *inputs):
        return self.network(*inputs)


def test_tags_of_words(tmp_path):
    rng, losses = np.random.RandomState(0), {}
    batches = [([*(words_of := sentences(8, long, rng)), words_of[0] % 4],) for long in (5, 3, 7) * 20]
    asked = [words("word"), words("lengths", rank=1)]
    for mode in MODES:
        with in_mode(mode):
            model = Tagging()
            model.prepare(
                fluid.optimizer.Adam(0.05, parameter_list=model.parameters()), TagCost(),
                inputs=[*asked, words("target")],
            )  # fmt: skip
            if mode == "static":
                model.save(f"{tmp_path}/start")
            model.load(f"{tmp_path}/start")
            losses[mode] = [model.train_batch(*batch)[0][0] for batch in batches]
            model.prepare(inputs=asked)
            tokens, lengths = sentences(8, 6, rng)
            tags, same = model.test_batch([tokens, lengths])
            assert same.tolist() == lengths.tolist()
            inside = np.arange(6) < lengths[:, None]
            assert (tags[inside] == (tokens % 4)[inside]).mean() > 0.9
            assert (tags[~inside] == 0).all()
    np.testing.assert_allclose(losses["static"], losses["imperative"], rtol=1e-4)
