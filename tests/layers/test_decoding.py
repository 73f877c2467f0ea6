"""CTC, beam search and its sentences."""

import numpy as np
import pytest
from tests.layers.modes import both, operators, ragged

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError
from refluid.layers import decoding

LOGITS = ragged(np.random.RandomState(0).uniform(-1, 1, (7, 4)), [4, 3])
LABELS = ragged([[1], [2], [3]], [2, 1], "int32")


def test_warpctc_of_ragged_and_of_padded_sequences_is_one():
    (ragged_loss,) = both(lambda x, y: decoding.warpctc(x, y), x=LOGITS, y=LABELS)
    padded = np.zeros((4, 2, 4), "float32")
    padded[:, 0], padded[:3, 1] = np.array(LOGITS)[:4], np.array(LOGITS)[4:]
    given = {"y": np.array([[1, 2], [3, 0]], "int32"), "n": np.array([4, 3]), "m": np.array([2, 1])}
    (padded_loss,) = both(
        lambda x, y, n, m: decoding.warpctc(
            fluid.layers.transpose(x, [1, 0, 2]), y, input_length=n, label_length=m
        ),
        x=padded.transpose(1, 0, 2).copy(), **given,
    )  # fmt: skip
    assert ragged_loss.shape == (2, 1)
    np.testing.assert_allclose(padded_loss, ragged_loss, rtol=1e-5)


def test_norm_by_times_divides_the_gradient_alone():
    found = {}
    for norm in (False, True):
        with fluid.dygraph.guard():
            x = fluid.dygraph.to_variable(LOGITS)
            x.stop_gradient = False
            loss = decoding.warpctc(x, fluid.dygraph.to_variable(LABELS), norm_by_times=norm)
            fluid.layers.reduce_sum(loss).backward()
            found[norm] = loss.numpy(), x.gradient()
    assert np.array_equal(found[True][0], found[False][0])
    times = np.array([[4]] * 4 + [[3]] * 3)
    np.testing.assert_allclose(found[True][1] * times, found[False][1], rtol=1e-5)


def test_the_greedy_decoder_drops_repeats_and_blanks():
    best = [1, 1, 0, 1, 2, 0, 2]
    scores = ragged(np.eye(3)[best], [4, 3])
    (found,) = both(lambda x: decoding.ctc_greedy_decoder(x, 0), x=scores)
    assert found.tolist() == [[1], [1], [2], [2]]
    (found,) = both(lambda x: decoding.ctc_greedy_decoder(x, 0), x=ragged(np.eye(3)[[0, 0]], [1, 1]))
    assert found.tolist() == [[-1]]
    padded = np.eye(3, dtype="float32")[[[1, 1, 0, 1], [2, 2, 0, 2]]]
    found, count = both(
        lambda x, n: decoding.ctc_greedy_decoder(x, 0, input_length=n, padding_value=9), x=padded,
        n=np.array([[4], [3]]),
    )  # fmt: skip
    assert found.tolist() == [[1, 1, 9, 9], [2, 9, 9, 9]] and count.tolist() == [[2], [1]]


def test_paths_of_beams():
    ids = np.array([[[2, 2]], [[3, 9]], [[0, 1]]])
    parents = np.array([[[0, 0]], [[1, 0]], [[1, 0]]])
    (found,) = both(lambda x, y: decoding.gather_tree(x, y), x=ids, y=parents)
    assert found.tolist() == [[[2, 2]], [[9, 3]], [[0, 1]]]


def lod(rows, levels, dtype):
    return fluid.create_lod_tensor(np.array(rows, dtype).reshape(-1, 1), levels, fluid.CPUPlace())


def test_sentences_are_read_back_from_the_steps():
    """The ids, scores and LoDs are what 1.8.5 gave."""
    steps = [
        ([1, 2], [0.1, 0.2], [[1, 1], [1, 1]]),
        ([3, 4, 5, 6], [0.1, 0.2, 0.3, 0.4], [[1, 1], [2, 2]]),
        ([7, 8, 0, 10], [0.1, 0.2, 0.3, 0.4], [[2, 2], [1, 1, 1, 1]]),
    ]
    words, scores = decode(steps, end_id=0)
    assert np.array(words).tolist() == [1, 4, 8, 1, 3, 7, 2, 6, 10, 2, 5, 0]
    assert words.recursive_sequence_lengths() == [[2, 2], [3, 3, 3, 3]] == scores.recursive_sequence_lengths()
    np.testing.assert_allclose(np.array(scores)[:6], [0.1, 0.2, 0.2, 0.1, 0.1, 0.1], rtol=1e-6)


def test_a_sentence_that_has_ended_keeps_one_end():
    steps = [
        ([0], [0.0], [[1], [1]]),
        ([2, 3], [-0.1, -0.2], [[1], [2]]),
        ([1, 4], [-0.3, -0.4], [[2], [1, 1]]),
        ([1, 5], [-0.3, -0.5], [[2], [1, 1]]),
    ]
    words, _ = decode(steps, end_id=1)
    assert np.array(words).tolist() == [0, 2, 1, 0, 3, 4, 5]
    assert words.recursive_sequence_lengths() == [[2], [3, 4]]


def decode(steps, end_id):
    feed, ids, scores = {}, None, None
    for t, (one_ids, one_scores, levels) in enumerate(steps):
        feed |= {f"i{t}": lod(one_ids, levels, "int64"), f"s{t}": lod(one_scores, levels, "float32")}
        step = fluid.layers.fill_constant([1], "int64", t)
        x = fluid.layers.data(f"i{t}", [1], dtype="int64", lod_level=2)
        y = fluid.layers.data(f"s{t}", [1], lod_level=2)
        ids, scores = fluid.layers.array_write(x, step, ids), fluid.layers.array_write(y, step, scores)
    found = decoding.beam_search_decode(ids, scores, beam_size=2, end_id=end_id)
    exe = fluid.Executor(fluid.CPUPlace())
    return exe.run(feed=feed, fetch_list=list(found), return_numpy=False)


def test_a_step_of_beam_search_names_its_results_as_fluid_does():
    before = fluid.layers.data("before", [1], dtype="int64", lod_level=2)
    sums = fluid.layers.data("sums", [1], lod_level=2)
    ids, scores = fluid.layers.data("ids", [3], dtype="int64", lod_level=2), fluid.layers.data("s", [3], lod_level=2)
    chosen, best, parents = decoding.beam_search(before, sums, ids, scores, 2, 0, return_parent_idx=True)
    assert (chosen.name, best.name, parents.name) == tuple(f"beam_search_0.tmp_{k}" for k in (1, 0, 2))
    assert len(decoding.beam_search(before, sums, ids, scores, 2, 0)) == 2
    assert operators()[0].startswith("beam_search: before sums ids s -> ")


def test_refusals():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.zeros((2, 3, 4), "float32"))
        with pytest.raises(ArgumentError, match="warpctc: input_length and label_length go together"):
            decoding.warpctc(x, x, input_length=x)
