"""Decoders of fluid.contrib. What they compute is compared with 1.8.5 in tests/models/test_recurrent_equal.py."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.contrib import BeamSearchDecoder, InitState, StateCell, TrainingDecoder

layers = fluid.layers


def cell_of(state, **options):
    cell = StateCell(inputs={"word": None}, states={"h": state}, out_state="h", **options)

    @cell.state_updater
    def step(cell):
        read = [cell.get_state("h"), cell.get_input("word")]
        cell.set_state("h", layers.fc(read, 8, act="tanh", param_attr=["h.w", "x.w"], bias_attr="h.b"))

    return cell


def test_a_decoder_learns_and_then_says_what_it_has_learned():
    """Two sources, two sentences: 0 starts, 1 ends."""

    def encoded(source):
        return layers.fc(source, 8, act="tanh", param_attr="e.w", bias_attr="e.b")

    def scored(h):
        return layers.fc(h, 6, act="softmax", param_attr="s.w", bias_attr="s.b")

    train, startup = fluid.Program(), fluid.default_startup_program()
    with fluid.program_guard(train, startup):
        source = fluid.data("source", [-1, 4])
        said, target = (fluid.data(name, [-1, 1], "int64", lod_level=1) for name in ("said", "target"))
        decoder = TrainingDecoder(cell_of(InitState(init=encoded(source), need_reorder=True)))
        embedded = layers.embedding(said, [6, 5], param_attr="embedding")
        with decoder.block():
            word = decoder.step_input(embedded)
            decoder.state_cell.compute_state(inputs={"word": word})
            decoder.output(scored(decoder.state_cell.get_state("h")))
            decoder.state_cell.update_states()
        loss = layers.mean(layers.cross_entropy(decoder(), target))
        fluid.optimizer.Adam(0.05).minimize(loss)
    source = fluid.data("source", [-1, 4])
    ids, scores = (fluid.data(name, [-1, 1], dtype, lod_level=2) for name, dtype in
                   (("ids", "int64"), ("scores", "float32")))  # fmt: skip
    decoder = BeamSearchDecoder(cell_of(InitState(init=encoded(source))), ids, scores, 6, 5, max_len=6, beam_size=2)
    with decoder.block():  # the step in one's own words, as decode() writes it
        before, total = decoder.read_array(ids, is_ids=True), decoder.read_array(scores, is_scores=True)
        word = layers.embedding(before, [6, 5], param_attr="embedding")
        cell = decoder.state_cell
        cell.set_state("h", layers.sequence_expand(cell.get_state("h"), total))
        cell.compute_state(inputs={"word": word})
        best, words = layers.topk(scored(layers.lod_reset(cell.out_state(), total)), k=3)
        sums = layers.elementwise_add(layers.log(best), layers.reshape(total, [-1]), axis=0)
        chosen, chosen_scores = layers.beam_search(before, total, words, sums, 2, end_id=1)
        with layers.Switch() as switch:
            with switch.case(layers.is_empty(chosen)):
                decoder.early_stop()
            with switch.default():
                cell.update_states()
                decoder.update_array(before, chosen)
                decoder.update_array(total, chosen_scores)
    sentences, _ = decoder()

    place = fluid.CPUPlace()
    exe = fluid.Executor(place)
    exe.run(startup)
    sources = np.eye(2, 4, dtype="float32")

    def ragged(data, *lengths):
        return fluid.create_lod_tensor(np.array(data).reshape(-1, 1), [list(level) for level in lengths], place)

    feed = {"source": sources, "said": ragged([0, 2, 3, 0, 4], [3, 2]), "target": ragged([2, 3, 1, 4, 1], [3, 2])}
    losses = [exe.run(train, feed=feed, fetch_list=[loss])[0].item() for _ in range(60)]
    assert losses[-1] < 0.1 * losses[0]
    ones = [1, 1], [1, 1]
    feed = {"source": sources, "ids": ragged([0, 0], *ones), "scores": ragged(np.zeros(2, "float32"), *ones)}
    (found,) = exe.run(feed=feed, fetch_list=[sentences], return_numpy=False)
    words, ((first, *_), lengths) = np.array(found).ravel().tolist(), found.recursive_sequence_lengths()
    starts = [0, *np.cumsum(lengths).tolist()]
    assert words[: lengths[0]] == [0, 2, 3, 1]
    assert words[starts[first] : starts[first + 1]] == [0, 4, 1]


def test_states_are_filled_and_cells_used_again():
    x = fluid.data("x", [-1, 5], lod_level=1)
    rows = layers.sequence_pool(x, "sum")
    cell = cell_of(InitState(init_boot=rows, shape=[-1, 8], value=0.5))
    found = []
    for _ in range(2):
        decoder = TrainingDecoder(cell)
        with decoder.block():
            decoder.state_cell.compute_state({"word": decoder.step_input(x)})
            decoder.state_cell.update_states()
            decoder.output(decoder.state_cell.out_state())
        found.append(decoder())
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    fed = fluid.create_lod_tensor(np.ones((5, 5), "float32"), [[3, 2]], fluid.CPUPlace())
    first, second = exe.run(feed={"x": fed}, fetch_list=found, return_numpy=False)
    assert np.array_equal(np.array(first), np.array(second)) and np.array(first).shape == (5, 8)


def a_cell():
    return cell_of(InitState(init=fluid.data("h", [-1, 8])))


def inside(use):
    def call():
        x, decoder = fluid.data("x", [-1, 5], lod_level=1), TrainingDecoder(a_cell())
        with decoder.block():
            decoder.step_input(x)
            use(decoder)

    return call


def in_beams(use):
    def call():
        ids, scores = fluid.data("ids", [-1, 1], "int64", 2), fluid.data("scores", [-1, 1], "float32", 2)
        decoder = BeamSearchDecoder(a_cell(), ids, scores, 6, 5)
        with decoder.block():
            use(decoder, ids)

    return call


def entered_twice():
    cell = a_cell()
    TrainingDecoder(cell)
    TrainingDecoder(cell)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: InitState(shape=[-1, 3]), "InitState: init, or init_boot"),
        (lambda: StateCell({}, {"h": 3}, "h"), "state 'h' must be an InitState, got int"),
        (lambda: StateCell({}, {"h": InitState(init=fluid.data("h", [2]))}, "c"), "one of h, got 'c'"),
        (entered_twice, "it is in a decoder already"),
        (lambda: TrainingDecoder(a_cell()).state_cell, "state_cell: call it inside `with decoder.block"),
        (lambda: TrainingDecoder(a_cell())(), "its outputs are available after its block"),
        (inside(lambda d: d.state_cell.get_state("c")), "there is no state 'c'; there are h"),
        (inside(lambda d: d.state_cell.set_state("c", 1)), "set_state: there is no state 'c'"),
        (inside(lambda d: d.state_cell.get_input("word")), "input 'word' has no value"),
        (inside(lambda d: d.state_cell.compute_state({"image": 1})), "no input 'image'; there are word"),
        (in_beams(lambda d, ids: d.read_array(ids, True, True)), "that of the ids and that of the scores"),
        (in_beams(lambda d, ids: d.read_array("ids")), "init must be a Variable, got str"),
        (in_beams(lambda d, ids: d.update_array(ids, ids)), "array must be what read_array gave, got ids"),
        (in_beams(lambda d, ids: d()), "its sentences are available after its block"),
    ],
)  # fmt: skip
def test_refusals(call, says):
    with pytest.raises((TypeError, ValueError), match=says):
        call()
