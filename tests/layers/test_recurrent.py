"""dynamic_lstm, dynamic_gru and their relatives: both modes, names as 1.8.5's, learning, refusals."""

import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, ragged, weights

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers import recurrent

STEPS = ragged(np.random.RandomState(0).uniform(-1, 1, (5, 8)), [2, 3])
THREES = ragged(np.random.RandomState(1).uniform(-1, 1, (5, 6)), [2, 3])


def attr(seed=1):
    return fluid.ParamAttr(initializer=weights(seed))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_dynamic_lstm_walks_every_sequence():
    hidden, cell = both(
        lambda x: recurrent.dynamic_lstm(x, 8, use_peepholes=False, param_attr=attr(), bias_attr=attr(2)), x=STEPS
    )
    with fluid.dygraph.guard():
        w = np.split(_drawn([2, 8], 1), 4, axis=1)
        b = np.split(_drawn([1, 8], 2)[0], 4)
    h, c, given = np.zeros(2), np.zeros(2), np.array(STEPS)
    for row in range(5):
        if row == 2:  # the second sequence begins
            h, c = np.zeros(2), np.zeros(2)
        candidate, i, f, o = (part + h @ w[k] + b[k] for k, part in enumerate(np.split(given[row], 4)))
        c = sigmoid(i) * np.tanh(candidate) + sigmoid(f) * c
        h = sigmoid(o) * np.tanh(c)
        np.testing.assert_allclose(hidden[row], h, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(cell[row], c, rtol=1e-5, atol=1e-6)


def _drawn(shape, seed):
    layer = fluid.dygraph.Layer()
    return layer.create_parameter(shape, attr(seed)).numpy().astype("float64")


def test_reversed_is_the_mirror_of_forward():
    mirrored = ragged(np.concatenate([np.array(THREES)[:2][::-1], np.array(THREES)[2:][::-1]]), [2, 3])
    (forward,) = both(lambda x: recurrent.dynamic_gru(x, 2, attr()), x=THREES)
    (backward,) = both(lambda x: recurrent.dynamic_gru(x, 2, attr(), is_reverse=True), x=mirrored)
    np.testing.assert_allclose(np.concatenate([backward[:2][::-1], backward[2:][::-1]]), forward, rtol=1e-5)


def test_what_comes_before_the_first_step():
    first = np.random.rand(2, 2).astype("float32")
    (found,) = both(lambda x, h: recurrent.dynamic_gru(x, 2, attr(), h_0=h), x=THREES, h=first)
    steps = both(lambda x, h: recurrent.gru_unit(x, h, 6, attr()), x=np.array(THREES)[[0, 2]], h=first)
    np.testing.assert_allclose(found[[0, 2]], steps[0], rtol=1e-5)
    both(lambda x, h, c: recurrent.dynamic_lstm(x, 8, h, c, attr()), x=STEPS, h=first, c=first)


def test_dynamic_lstmp_projects():
    projected, cell = both(
        lambda x: recurrent.dynamic_lstmp(x, 8, 3, attr(), attr(2), cell_clip=0.2, proj_clip=0.1), x=STEPS
    )
    assert projected.shape == (5, 3) and cell.shape == (5, 2)
    assert np.abs(cell).max() <= 0.2 and np.abs(projected).max() <= 0.1


def test_lstm_unit_is_a_step():
    x, h, c = (np.random.rand(3, n).astype("float32") for n in (4, 2, 2))
    hidden, cell = both(lambda *v: recurrent.lstm_unit(*v, forget_bias=1.0, param_attr=attr()), x=x, h=h, c=c)
    with fluid.dygraph.guard():
        i, f, o, j = np.split(np.concatenate([x, h], 1) @ _drawn([6, 8], 1), 4, axis=1)
    new = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
    np.testing.assert_allclose(cell, new, rtol=1e-4)
    np.testing.assert_allclose(hidden, np.tanh(new) * sigmoid(o), rtol=1e-4)


def test_lstm_over_padded_sequences_in_both_directions():
    def build(x):
        first = fluid.layers.fill_constant([4, 3, 6], "float32", 0.5)
        return recurrent.lstm(x, first, first, 4, 6, 2, is_bidirec=True, default_initializer=weights())

    out, last_h, last_c = both(build, x=np.random.rand(4, 3, 5).astype("float32"))
    assert out.shape == (4, 3, 12) and last_h.shape == last_c.shape == (4, 3, 6)
    np.testing.assert_allclose(out[-1, :, :6], last_h[2], rtol=1e-5)
    np.testing.assert_allclose(out[0, :, 6:], last_h[3], rtol=1e-5)


def test_drops_between_layers_are_drawn_anew_unless_seeded():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.ones((2, 3, 4), "float32"))
        h = fluid.dygraph.to_variable(np.zeros((2, 3, 4), "float32"))

        def run(seed, is_test=False):
            out, _, _ = recurrent.lstm(
                x, h, h, 2, 4, 2, dropout_prob=0.5, default_initializer=weights(), seed=seed, is_test=is_test
            )
            return out.numpy()

        assert not np.array_equal(run(-1), run(-1))
        assert np.array_equal(run(5), run(5))
        assert np.array_equal(run(-1, is_test=True), run(5, is_test=True))


def test_names_are_those_of_fluid():
    (x,) = declare(x=STEPS)
    recurrent.dynamic_lstm(x, 8)
    recurrent.dynamic_lstmp(x, 8, 3)
    (y,) = declare(y=THREES)
    recurrent.dynamic_gru(y, 2)
    recurrent.gru_unit(y, fluid.layers.data("h", [2]), 6)
    assert operators() == [
        "lstm: x lstm_0.w_0 lstm_0.b_0 -> lstm_0.tmp_0 lstm_0.tmp_1 lstm_0.tmp_2 lstm_0.tmp_3",
        "lstmp: x lstmp_0.w_0 lstmp_0.w_1 lstmp_0.b_0 -> "
        "lstmp_0.tmp_0 lstmp_0.tmp_1 lstmp_0.tmp_3 lstmp_0.tmp_4 lstmp_0.tmp_5",
        "gru: y gru_0.w_0 gru_0.b_0 -> gru_0.tmp_0 gru_0.tmp_1 gru_0.tmp_2 gru_0.tmp_3",
        "gru_unit: y h gru_unit_0.w_0 gru_unit_0.b_0 -> gru_unit_0.tmp_0 gru_unit_0.tmp_1 gru_unit_0.tmp_2",
    ]


def test_a_classifier_of_sequences_learns():
    x = fluid.layers.data("x", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("y", [1], dtype="int64")
    words = fluid.layers.fc(fluid.layers.embedding(x, [10, 8]), 16)
    hidden, _ = fluid.layers.dynamic_lstm(words, 16)
    gated = fluid.layers.dynamic_gru(fluid.layers.fc(hidden, 12), 4)
    scores = fluid.layers.fc(fluid.layers.sequence_pool(gated, "last"), 2, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(scores, label))
    fluid.optimizer.Adam(0.05).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    fluid.default_startup_program().random_seed = 1
    exe.run(fluid.default_startup_program())
    rows = fluid.create_lod_tensor(np.array([[1], [2], [3], [4], [5], [6]], "int64"), [[3, 1, 2]], fluid.CPUPlace())
    feed = {"x": rows, "y": np.array([[0], [1], [0]], "int64")}
    losses = [exe.run(feed=feed, fetch_list=[loss])[0].item() for _ in range(30)]
    assert losses[-1] < 0.1 < losses[0]


def test_refusals():
    (x,) = declare(x=STEPS)
    with pytest.raises(ArgumentError, match="dynamic_lstm: size must be a positive multiple of 4, got 6"):
        recurrent.dynamic_lstm(x, 6)
    with pytest.raises(ArgumentError, match="dynamic_lstm: bias_attr must not be False"):
        recurrent.dynamic_lstm(x, 8, bias_attr=False)
    with pytest.raises(ArgumentError, match="dynamic_lstmp: h_0 and c_0 go together"):
        recurrent.dynamic_lstmp(x, 8, 3, h_0=x)
    with pytest.raises(ArgumentError, match="dynamic_gru: gate_activation must be one of .* got 'elu'"):
        recurrent.dynamic_gru(x, 2, gate_activation="elu")
    with pytest.raises(ArgumentError, match="gru_unit: size must be a positive multiple of 3, got 8"):
        recurrent.gru_unit(x, x, 8)
    with pytest.raises(ArgumentError, match="lstm_unit: x_t must have 2 axes"):
        recurrent.lstm_unit(fluid.layers.data("z", [2, 3]), x, x)
    with pytest.raises(ShapeError, match=r"lstm: Weight must be \[D, 4D\] and Input \[rows, 4D\], got \[3, 12\]"):
        recurrent.dynamic_lstm(x, 12)
