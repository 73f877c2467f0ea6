"""DynamicRNN and rank tables: values against numpy, gradients against finite differences."""

import numpy as np
import pytest
from tests.executor.test_blocks import gradients_hold, weight

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, ModeError, ShapeError

L = fluid.layers
LENGTHS = [1, 3, 2]
X = np.random.RandomState(0).uniform(-1, 1, (6, 3))
STARTS = [0, 1, 4]


def ragged(x, lengths=None):
    """The rows of x as sequences: the harness feeds plain arrays."""
    offsets = np.cumsum([0, *(lengths or LENGTHS)]).tolist()
    return L.lod_reset(x, target_lod=offsets)


def recurrence(x, w, boot=None, context=None, reorder=True):
    rnn = L.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(x)
        if boot is None:
            before = rnn.memory(shape=[3], value=0.5, dtype="float64")
        else:
            before = rnn.memory(init=boot, need_reorder=reorder)
        hidden = L.mul(before, w) + word
        if context is not None:
            hidden = hidden + L.sequence_pool(rnn.static_input(context), "sum")
        hidden = L.tanh(hidden)
        rnn.update_memory(before, hidden)
        rnn.output(hidden)
    return rnn()


def run(build, fetch=None, **feeds):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        outs = build(*(fluid.data(name, [-1, *value.shape[1:]], str(value.dtype)) for name, value in feeds.items()))
    exe = fluid.Executor()
    return exe.run(main, feed=feeds, fetch_list=outs if isinstance(outs, list) else [outs], return_numpy=False)


def test_every_sequence_goes_through_its_own_steps():
    w = np.eye(3) * 0.5
    (out,) = run(lambda x, w: recurrence(ragged(x), w), x=X, w=w)
    assert out.recursive_sequence_lengths() == [LENGTHS]
    for start, length in zip(STARTS, LENGTHS, strict=True):
        hidden = np.full(3, 0.5)
        for row in range(start, start + length):
            hidden = np.tanh(hidden @ w + X[row])
            np.testing.assert_allclose(np.array(out)[row], hidden)


def test_first_memories_and_contexts_belong_to_their_sequences():
    w, boot = np.eye(3) * 0.5, np.arange(9.0).reshape(3, 3) / 10
    context = np.arange(12.0).reshape(4, 3) / 20
    build = lambda x, w, b, c: recurrence(ragged(x), w, b, ragged(c, [2, 1, 1]))  # noqa: E731
    (out,) = run(build, x=X, w=w, b=boot, c=context)
    sums = [context[:2].sum(0), context[2], context[3]]
    for n, (start, length) in enumerate(zip(STARTS, LENGTHS, strict=True)):
        hidden = boot[n]
        for row in range(start, start + length):
            hidden = np.tanh(hidden @ w + X[row] + sums[n])
            np.testing.assert_allclose(np.array(out)[row], hidden)


def test_gradients_of_inputs_parameters_memories_and_contexts():
    gradients_hold(lambda x: L.mean(L.square(recurrence(ragged(x), weight()))), X.copy())
    gradients_hold(lambda x: L.mean(L.sequence_last_step(recurrence(ragged(x), weight()))), X.copy())

    def everything(x):
        boot = L.sequence_pool(ragged(x), "sum")
        context = L.tanh(ragged(x, [2, 3, 1]))
        return L.mean(L.square(recurrence(ragged(x), weight(), boot, context)))

    gradients_hold(everything, X.copy())


def test_gradients_with_two_memories_and_two_outputs():
    def build(x):
        w, words, scaled = weight(), ragged(x), ragged(x * 2.0)
        rnn = L.DynamicRNN()
        with rnn.block():
            word, scaled = rnn.step_input(words), rnn.step_input(scaled)
            h = rnn.memory(shape=[3], dtype="float64")
            c = rnn.memory(shape=[3], dtype="float64", value=1.0)
            new = c * L.sigmoid(L.mul(h, w)) + word * scaled
            rnn.update_memory(c, new)
            rnn.update_memory(h, L.tanh(new))
            rnn.output(L.tanh(new), c)
        first, second = rnn()
        return L.mean(first) + L.mean(L.square(L.sequence_pool(second, "max")))

    gradients_hold(build, X.copy())


def test_steps_that_are_sequences_themselves():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        x = fluid.data("x", [-1, 3], "float64", lod_level=2)
        x.stop_gradient = False
        rnn = L.DynamicRNN()
        with rnn.block():
            sentence = rnn.step_input(x)
            total = rnn.memory(shape=[3], dtype="float64")
            new = total + L.sequence_pool(sentence, "sum")
            rnn.update_memory(total, new)
            rnn.output(L.sequence_expand_as(new, sentence), new)
        words, sums = rnn()
        loss = L.reduce_sum(L.sequence_last_step(sums))
        (gradient,) = fluid.gradients(loss, x)
        nested = fluid.create_lod_tensor(X, [[1, 2], [2, 1, 3]], fluid.CPUPlace())  # texts of one and two sentences
        fetches = [words, sums, gradient]
        words, sums, gradient = fluid.Executor().run(feed={"x": nested}, fetch_list=fetches, return_numpy=False)
    assert sums.recursive_sequence_lengths() == [[1, 2]]
    assert words.recursive_sequence_lengths() == [[1, 2], [2, 1, 3]]
    expected = np.stack([X[:2].sum(0), X[2], X[2:].sum(0)])
    np.testing.assert_allclose(np.array(sums), expected)
    np.testing.assert_allclose(np.array(words), expected[[0, 0, 1, 2, 2, 2]])
    np.testing.assert_array_equal(np.array(gradient), np.ones((6, 3)))


def test_rank_tables_by_hand():
    def build(x):
        sequences = ragged(x)
        table = L.control_flow.lod_rank_table(sequences)
        array = L.control_flow.lod_tensor_to_array(sequences, table)
        back = L.control_flow.array_to_lod_tensor(array, table)
        first = L.array_read(array, L.fill_constant([1], "int64", 0))
        return [
            L.control_flow.max_sequence_len(table), first, back, L.reorder_lod_tensor_by_rank(sequences, table),
            L.reorder_lod_tensor_by_rank(L.sequence_pool(sequences, "first"), table),
        ]  # fmt: skip

    longest, first, back, ordered, rows = run(build, x=X)
    assert np.array(longest).tolist() == [3]
    np.testing.assert_array_equal(np.array(first), X[[1, 4, 0]])
    np.testing.assert_array_equal(np.array(back), X)
    np.testing.assert_array_equal(np.array(ordered), X[[1, 2, 3, 4, 5, 0]])
    assert back.recursive_sequence_lengths() == [LENGTHS] and ordered.recursive_sequence_lengths() == [[3, 2, 1]]
    np.testing.assert_array_equal(np.array(rows), X[[1, 4, 0]])


def test_a_training_step_lowers_the_loss():
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 3], "float32", lod_level=1)
        rnn = L.DynamicRNN()
        with rnn.block():
            word = rnn.step_input(x)
            before = rnn.memory(shape=[5])
            hidden = L.fc([word, before], 5, act="tanh")
            rnn.update_memory(before, hidden)
            rnn.output(hidden)
        loss = L.mean(L.square(L.fc(L.sequence_last_step(rnn()), 1) - 0.5))
        fluid.optimizer.Adam(0.05).minimize(loss)
    exe, scope = fluid.Executor(), fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        losses = []
        for lengths in [[1, 3, 2], [4, 2], [1, 3, 2]] * 7:  # batches of different lengths through one plan
            rows = np.resize(X.astype("float32"), (sum(lengths), 3))
            feed = {"x": fluid.create_lod_tensor(rows, [lengths], fluid.CPUPlace())}
            losses.append(exe.run(main, feed=feed, fetch_list=[loss])[0].item())
    assert losses[-1] < 0.2 * losses[0]


def test_a_recurrence_without_outputs_gives_none_and_runs():
    """As in 1.8.5: an empty list."""
    x = fluid.data("x", [None, 3], "float64", lod_level=1)
    total = L.fill_constant([1], "float64", 0.0)
    rnn = L.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(x)
        before = rnn.memory(shape=[3], dtype="float64")
        rnn.update_memory(before, before + word)
        rnn.output()
        L.assign(total + L.reduce_sum(word), total)
    assert rnn() == []
    fed = fluid.create_lod_tensor(X, [LENGTHS], fluid.CPUPlace())
    (found,) = fluid.Executor().run(feed={"x": fed}, fetch_list=[total])
    np.testing.assert_allclose(found, [X.sum()])


def test_wrong_use_is_told():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [None, 3], "float32", lod_level=1)
        rnn = L.DynamicRNN()
        with pytest.raises(ArgumentError, match="DynamicRNN.step_input: call it inside `with rnn.block"):
            rnn.step_input(x)
        with pytest.raises(ArgumentError, match="DynamicRNN.memory: call it after step_input"), rnn.block():
            rnn.memory(shape=[3])
        rnn = L.DynamicRNN()
        with pytest.raises(ArgumentError, match="x must be created before `with rnn.block"), rnn.block():
            rnn.step_input(L.relu(x))
        with pytest.raises(ArgumentError, match="the rank table must be one that lod_rank_table gave, got x"):
            L.reorder_lod_tensor_by_rank(x, x)
    with fluid.dygraph.guard(), pytest.raises(ModeError, match="in the imperative mode write a loop"):
        L.DynamicRNN()
    with pytest.raises(ShapeError, match="lod_rank_table: X must have a LoD with the level 0, but it has 0 levels"):
        run(lambda x: recurrence(x, weight()), x=X)
    with pytest.raises(ShapeError, match="reorder_lod_tensor_by_rank: X has 2 rows, but RankTable ranks 3 sequences"):
        run(lambda x, w, b: recurrence(ragged(x), w, b), x=X, w=np.eye(3), b=np.ones((2, 3)))
