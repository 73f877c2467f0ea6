"""Cells, rnn and decoders: both modes give the same; parameters named as Fluid's; errors."""

import numpy as np
import pytest
from tests.layers.modes import both, weights

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, ShapeError

L = fluid.layers
STEPS = np.random.RandomState(0).uniform(-1, 1, (2, 5, 3)).astype("float32")
LENGTHS = np.array([3, 5])


def attrs():
    return {"param_attr": fluid.ParamAttr(initializer=weights()), "bias_attr": fluid.ParamAttr(initializer=weights(2))}


def embedding(tokens):
    table = fluid.ParamAttr(name="table", initializer=weights(3))
    return fluid.embedding(tokens, [6, 3], param_attr=table)


def scores(hidden):
    attr = fluid.ParamAttr(name="scores", initializer=weights(4))
    return L.fc(hidden, 6, num_flatten_dims=len(hidden.shape) - 1, param_attr=attr, bias_attr=False)


@pytest.mark.parametrize("kind", ["GRUCell", "LSTMCell"])
@pytest.mark.parametrize("options", [{}, {"is_reverse": True}, {"time_major": True}])
def test_a_cell_over_sequences_in_both_modes(kind, options):
    def build(x, n):
        x = L.transpose(x, [1, 0, 2]) if "time_major" in options else x
        return L.rnn(getattr(L, kind)(4, **attrs()), x, sequence_length=n, **options)

    outputs, *states = both(build, x=STEPS, n=LENGTHS)
    outputs = outputs.transpose(1, 0, 2) if "time_major" in options else outputs
    assert outputs.shape == (2, 5, 4) and len(states) == (2 if kind == "LSTMCell" else 1)
    # The shorter sequence ends after three steps; backwards, both end at the first.
    np.testing.assert_allclose(states[0][0], outputs[0, 0 if "is_reverse" in options else 2], rtol=1e-6)


def test_gradients_are_the_same_in_both_modes():
    def loss(x):
        outputs, states = L.rnn(L.LSTMCell(4, **attrs()), x)
        return L.mean(L.square(outputs)) + L.mean(states[1])

    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", STEPS.shape)
        x.stop_gradient = False
        (gradient,) = fluid.gradients(loss(x), x)
        exe = fluid.Executor()
        exe.run(fluid.default_startup_program())
        (static,) = exe.run(feed={"x": STEPS}, fetch_list=[gradient])
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(STEPS)
        x.stop_gradient = False
        loss(x).backward()
        np.testing.assert_allclose(x.gradient(), static, rtol=1e-5, atol=1e-7)


class Sum(L.RNNCell):
    """A cell of one's own, with structures for inputs and states."""

    def call(self, inputs, states, factor=1.0):
        total = states["total"] + inputs[0] * factor - inputs[1]
        return {"now": total, "twice": total * 2.0}, {"total": total}

    @property
    def state_shape(self):
        return {"total": [3]}


def test_structures_and_arguments_of_a_cell_of_ones_own():
    def build(x):
        outputs, states = L.rnn(Sum(), (x, x * 0.5), factor=2.0)
        return outputs["now"], outputs["twice"], states["total"]

    now, twice, total = both(build, x=STEPS)
    np.testing.assert_allclose(now, np.cumsum(STEPS * 1.5, axis=1), rtol=1e-5)
    np.testing.assert_allclose(twice, 2 * now, rtol=1e-6)
    np.testing.assert_allclose(total, now[:, -1], rtol=1e-6)


def test_one_cell_called_twice_has_one_set_of_parameters_with_fluids_names():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        x = fluid.data("x", [None, 3])
        gru, lstm = L.GRUCell(4), L.LSTMCell(4, name="reader")
        named = L.GRUCell(4, param_attr=fluid.ParamAttr(name="w"), bias_attr=False)
        for cell in (gru, gru, lstm, lstm, named):
            cell(x, cell.get_initial_states(x))
        names = [p.name for p in fluid.default_main_program().all_parameters()]
    assert names == [
        "GRUCell/BasicGRUUnit_0.w_0", "GRUCell/BasicGRUUnit_0.w_1", "GRUCell/BasicGRUUnit_0.b_0",
        "GRUCell/BasicGRUUnit_0.b_1", "reader/BasicLSTMUnit_0.w_0", "reader/BasicLSTMUnit_0.b_0", "w_gate",
        "w_candidate",
    ]  # fmt: skip


def test_the_first_states_have_the_shapes_that_are_asked_for():
    one, other = both(lambda x: Sum().get_initial_states(x, [[2, 3], [4]], init_value=2, batch_dim_idx=1), x=STEPS)
    assert one.shape == (5, 2, 3) and other.shape == (5, 4) and (one == 2).all()


@pytest.mark.parametrize("is_test", [False, True])
def test_beam_search_in_both_modes(is_test):
    def build(x):
        cell = L.GRUCell(4, **attrs())
        decoder = L.BeamSearchDecoder(cell, 0, 1, beam_size=3, embedding_fn=embedding, output_fn=scores)
        tokens, states, lengths = L.dynamic_decode(
            decoder, cell.get_initial_states(x, init_value=0.5), max_step_num=4, is_test=is_test, return_length=True
        )
        return tokens, states.log_probs, lengths

    tokens, probabilities, lengths = both(build, x=STEPS)
    assert tokens.shape == (2, 5, 3) and lengths.shape == (2, 3)
    assert (np.diff(probabilities) <= 0).all()  # the best beam first
    for row, length in zip(tokens.transpose(0, 2, 1).reshape(-1, 5), lengths.reshape(-1), strict=True):
        assert length == (row.tolist().index(1) + 1 if 1 in row else 5)


def helpers(x, n):
    start = L.cast(L.reduce_sum(x, dim=[1, 2]) * 0.0, "int64")
    return {
        "training": lambda: L.TrainingHelper(x, n),
        "greedy": lambda: L.GreedyEmbeddingHelper(embedding, start, 1),
    }


@pytest.mark.parametrize("helper", ["training", "greedy"])
@pytest.mark.parametrize("impute", [False, True])
def test_basic_decoding_in_both_modes(helper, impute):
    def build(x, n):
        cell = L.LSTMCell(4, **attrs())
        decoder = L.BasicDecoder(cell, helpers(x, n)[helper](), output_fn=scores)
        states = cell.get_initial_states(x)
        (said, tokens), after, lengths = L.dynamic_decode(
            decoder, states, max_step_num=6, impute_finished=impute, return_length=True
        )
        return said, tokens, after, lengths

    said, tokens, *_, lengths = both(build, x=STEPS, n=LENGTHS)
    np.testing.assert_array_equal(said.argmax(-1), tokens)
    if helper == "training":
        assert lengths.tolist() == LENGTHS.tolist() and said.shape == (2, 5, 6)


def test_samples_follow_what_the_cell_says():
    class Certain(L.RNNCell):
        """Says 2, 3, 4, 5, and then 1 for ever."""

        def call(self, inputs, states):
            following = L.assign(np.array([2, 1, 3, 4, 5, 1], "float32"))
            now = L.reduce_sum(L.one_hot(L.cast(states, "int64"), 6) * following, dim=-1, keep_dim=True)
            return L.one_hot(L.cast(now, "int64"), 6) * 50.0, now

        state_shape = property(lambda self: [1])

    def build(x):
        start = L.cast(L.reduce_sum(x, dim=[1, 2]) * 0.0, "int64")
        helper = L.SampleEmbeddingHelper(embedding, start, 1, softmax_temperature=0.5, seed=4)
        cell = Certain()
        (_, tokens), _, lengths = L.dynamic_decode(
            L.BasicDecoder(cell, helper), cell.get_initial_states(x), return_length=True
        )
        return tokens, lengths

    tokens, lengths = both(build, x=STEPS)
    assert tokens.tolist() == [[2, 3, 4, 5, 1]] * 2 and lengths.tolist() == [5, 5]


def test_a_decoder_learns_to_say_what_it_is_told():
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        words = fluid.data("words", [None, None], "int64")
        n = fluid.data("n", [None], "int64")
        cell = L.GRUCell(8)
        inputs = fluid.embedding(words, [6, 5])
        decoder = L.BasicDecoder(cell, L.TrainingHelper(inputs, n), output_fn=lambda h: L.fc(h, 6))
        (said, _), _ = L.dynamic_decode(decoder, cell.get_initial_states(inputs))
        loss = L.mean(L.softmax_with_cross_entropy(said, L.unsqueeze(words, [2])))
        fluid.optimizer.Adam(0.05).minimize(loss)
    exe, scope = fluid.Executor(), fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        feed = {"words": np.array([[1, 2, 3, 4], [5, 4, 3, 2]]), "n": np.array([4, 4])}
        losses = [exe.run(main, feed=feed, fetch_list=[loss])[0].item() for _ in range(30)]
    assert losses[-1] < 0.2 * losses[0]


def test_wrong_arguments_are_told():
    with pytest.raises(ArgumentError, match="GRUCell: hidden_size must be an int of at least 1, got 0"):
        L.GRUCell(0)
    with pytest.raises(ArgumentError, match="BeamSearchDecoder: beam_size must be an int of at least 1, got 0"):
        L.BeamSearchDecoder(None, 0, 1, 0)
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(STEPS)
        with pytest.raises(ShapeError, match=r"LSTMCell: inputs must have the shape \[N, D\] with D known, got \[2, 5"):
            L.LSTMCell(4)(x, [x, x])
        with pytest.raises(ArgumentError, match="rnn: cell must be an RNNCell, got function"):
            L.rnn(embedding, x)
        with pytest.raises(ArgumentError, match="dynamic_decode: decoder must be a Decoder, got function"):
            L.dynamic_decode(embedding)
        with pytest.raises(NotImplementedError, match="RNNCell must define call"):
            L.RNNCell()(x, x)


def test_layers_of_cells_in_both_modes():
    def build(x, n):
        settings = {**attrs(), "num_layers": 2, "sequence_length": n}
        return [
            *fluid.contrib.layers.basic_lstm(x, None, None, 4, bidirectional=True, **settings),
            *fluid.contrib.layers.basic_gru(x, None, 4, **settings),
        ]

    out, hidden, cell, other, last = both(build, x=STEPS, n=LENGTHS)
    assert out.shape == (2, 5, 8) and hidden.shape == cell.shape == (4, 2, 4)
    assert other.shape == (2, 5, 4) and last.shape == (2, 2, 4)
    np.testing.assert_allclose(last[1], other[:, -1], rtol=1e-6)  # a sequence stays as it is after its end
    np.testing.assert_allclose(hidden[2, 0], out[0, 2, :4], rtol=1e-6)


def test_dropout_between_layers_of_cells():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(STEPS)
        out, _ = fluid.contrib.layers.basic_gru(x, None, 40, dropout_prob=0.5)
        assert 0.3 < (out.numpy() == 0).mean() < 0.7
        with pytest.raises(ArgumentError, match="basic_gru: num_layers must be an int of at least 1, got 0"):
            fluid.contrib.layers.basic_gru(x, None, 4, num_layers=0)
