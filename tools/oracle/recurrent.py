"""Recurrent networks and decoders. Plain Fluid code: the tests run it on Refluid, too."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.contrib.decoder.beam_search_decoder import BeamSearchDecoder, InitState, StateCell, TrainingDecoder
from paddle.fluid.contrib.layers import BasicGRUUnit, BasicLSTMUnit, basic_gru, basic_lstm

L = fluid.layers
VOCABULARY, SIZE = 7, 4


def inputs():
    random = np.random.RandomState(9)
    steps = random.uniform(-1, 1, (2, 5, 3)).astype("float32")
    context = random.uniform(-1, 1, (6, 3)).astype("float32")
    rows = random.uniform(-1, 1, (6, 3)).astype("float32")
    place = fluid.CPUPlace()
    ones = [[1, 1, 1], [1, 1, 1]]
    return {
        "first_ids": fluid.create_lod_tensor(np.zeros((3, 1), "int64"), ones, place),
        "first_scores": fluid.create_lod_tensor(np.zeros((3, 1), "float32"), ones, place),
        "steps": steps,
        "lengths": np.array([3, 5], "int64"),
        "words": fluid.create_lod_tensor(rows, [[1, 3, 2]], place),
        "context": fluid.create_lod_tensor(context, [[2, 3, 1]], place),
        "first": random.uniform(-1, 1, (3, SIZE)).astype("float32"),
    }


def declare():
    steps = fluid.data("steps", [None, 5, 3], "float32")
    words = fluid.data("words", [None, 3], "float32", lod_level=1)
    context = fluid.data("context", [None, 3], "float32", lod_level=1)
    first = fluid.data("first", [None, SIZE], "float32")
    for var in (steps, words, context, first):
        var.stop_gradient = False
    return steps, fluid.data("lengths", [None], "int64"), words, context, first


def embed(tokens):
    return fluid.embedding(tokens, size=[VOCABULARY, 3], param_attr=fluid.ParamAttr(name="embedding"))


def score(hidden):
    attr = fluid.ParamAttr(name="scores")
    return L.fc(hidden, VOCABULARY, num_flatten_dims=len(hidden.shape) - 1, param_attr=attr, bias_attr=False)


def run_cell(cell, **options):
    def build(steps, lengths, words, context, first):
        settings = dict(options)
        if settings.pop("cut", False):
            settings["sequence_length"] = lengths
        x = L.transpose(steps, [1, 0, 2]) if settings.get("time_major") else steps
        outputs, states = L.rnn(cell(SIZE), x, **settings)
        states = states if isinstance(states, list) else [states]
        loss = L.mean(L.square(outputs))
        for state in states:
            loss = loss + L.mean(state)
        return [outputs] + states, loss

    return build


def static_rnn(steps, lengths, words, context, first):
    rnn = L.StaticRNN()
    with rnn.step():
        word = rnn.step_input(steps)
        before = rnn.memory(shape=[-1, SIZE], batch_ref=word, init_value=0.5)
        hidden = L.fc([word, before], SIZE, act="tanh")
        rnn.update_memory(before, hidden)
        rnn.output(hidden, before)
    hidden, before = rnn()
    return [hidden, before], L.mean(L.square(hidden)) + L.mean(before)


def dynamic_rnn(steps, lengths, words, context, first):
    rnn = L.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(words)
        seen = L.sequence_pool(rnn.static_input(context), "sum")
        before = rnn.memory(init=first, need_reorder=True)
        count = rnn.memory(shape=[2], value=0.5)
        hidden = L.fc([word, before, seen, count], SIZE, act="tanh")
        rnn.update_memory(before, hidden)
        rnn.update_memory(count, L.fc(hidden, 2))
        rnn.output(hidden, count)
    hidden, count = rnn()
    return [hidden, count], L.mean(L.sequence_last_step(hidden)) + L.mean(L.square(count))


def beam_search(cell, **options):
    def build(steps, lengths, words, context, first):
        start = L.reduce_sum(steps, dim=1)
        start = L.concat([start, L.slice(start, [1], [0], [1])], axis=1)
        states = [start, L.scale(start, 0.5)] if cell == "LSTMCell" else start
        rnn_cell = getattr(L, cell)(SIZE)
        decoder = L.BeamSearchDecoder(rnn_cell, 0, 1, beam_size=3, embedding_fn=embed, output_fn=score)
        tokens, after = L.dynamic_decode(decoder, states, max_step_num=6, **options)
        cells = after.cell_states if isinstance(after.cell_states, list) else [after.cell_states]
        return [tokens, after.log_probs, after.lengths] + cells, None

    return build


def decode(cell, helper, **options):
    def build(steps, lengths, words, context, first):
        rnn_cell = cell(SIZE)
        if helper == "training":
            helps = L.TrainingHelper(steps, lengths)
        else:
            start = L.cast(L.scale(L.reduce_sum(steps, dim=[1, 2]), 0.0), "int64")
            helps = L.GreedyEmbeddingHelper(embed, start, 1)
        decoder = L.BasicDecoder(rnn_cell, helps, output_fn=score)
        states = rnn_cell.get_initial_states(steps)
        (said, tokens), after, count = L.dynamic_decode(decoder, states, return_length=True, **options)
        after = after if isinstance(after, list) else [after]
        return [said, tokens, count] + after, L.mean(L.square(said)) if helper == "training" else None

    return build


def both_ways(steps, lengths, words, context, first):
    results = basic_lstm(steps, None, None, SIZE, num_layers=2, sequence_length=lengths, bidirectional=True)
    return list(results), sum(L.mean(L.square(one)) for one in results)


def layers_of_gru(steps, lengths, words, context, first):
    start = L.concat([L.slice(steps, [1], [0], [2]), L.slice(steps, [1, 2], [0, 0], [2, 1])], axis=2)
    results = basic_gru(L.transpose(steps, [1, 0, 2]), L.transpose(start, [1, 0, 2]), SIZE, 2, batch_first=False)
    return list(results), sum(L.mean(L.square(one)) for one in results)


def units(steps, lengths, words, context, first):
    x = L.sequence_pool(words, "sum")
    hidden, cell = BasicLSTMUnit("reader", SIZE)(x, first, L.scale(first, 0.5))
    hidden = BasicGRUUnit("writer", SIZE)(x, hidden)
    return [hidden, cell], L.mean(L.square(hidden)) + L.mean(cell)


def encoded(words):
    """A vector for every sentence."""
    projected = L.fc(words, 4 * SIZE, act="tanh")
    return L.sequence_last_step(L.dynamic_lstm(projected, 4 * SIZE)[0])


def translation_training(steps, lengths, words, context, first):
    """The decoder of a translator that is told what to say: 1.5's way."""
    state = encoded(words)
    rnn = L.DynamicRNN()
    with rnn.block():
        said = rnn.step_input(context)
        before = rnn.memory(init=state, need_reorder=True)
        now = L.fc([said, before], SIZE, act="tanh")
        rnn.update_memory(before, now)
        rnn.output(L.fc(now, VOCABULARY, act="softmax"))
    probabilities = rnn()
    targets = L.cast(L.scale(L.abs(L.slice(context, [1], [0], [1])), 5.0), "int64")
    return [probabilities], L.mean(L.cross_entropy(probabilities, targets))


def translation(steps, lengths, words, context, first):
    """Beam search by a loop over arrays: 1.5's way."""
    beams, end, most = 2, 1, L.fill_constant([1], "int64", 5)
    counter = L.zeros([1], "int64", force_cpu=True)
    states, ids, scores = L.create_array("float32"), L.create_array("int64"), L.create_array("float32")
    first_ids = L.data("first_ids", [1], dtype="int64", lod_level=2)
    first_scores = L.data("first_scores", [1], dtype="float32", lod_level=2)
    for value, array in ((encoded(words), states), (first_ids, ids), (first_scores, scores)):
        L.array_write(value, counter, array=array)
    go_on = L.less_than(counter, most)
    loop = L.While(go_on)
    with loop.block():
        pre_ids, pre_score = L.array_read(ids, counter), L.array_read(scores, counter)
        before = L.sequence_expand(L.array_read(states, counter), pre_score)
        table = fluid.ParamAttr(name="embedding")
        now = L.fc([before, L.embedding(pre_ids, [VOCABULARY, 3], param_attr=table)], SIZE, act="tanh")
        probabilities = L.fc(L.lod_reset(now, pre_score), VOCABULARY, act="softmax")
        best, tokens = L.topk(probabilities, k=beams)
        total = L.elementwise_add(L.log(best), L.reshape(pre_score, [-1]), axis=0)
        chosen, chosen_scores = L.beam_search(pre_ids, pre_score, tokens, total, beams, end, level=0)
        with L.Switch() as switch:
            with switch.case(L.is_empty(chosen)):
                L.fill_constant([1], "bool", 0, force_cpu=True, out=go_on)
            with switch.default():
                L.increment(counter, 1)
                for value, array in ((now, states), (chosen, ids), (chosen_scores, scores)):
                    L.array_write(value, counter, array=array)
                longer = L.less_than(counter, most)
                L.logical_and(longer, L.logical_not(L.is_empty(chosen)), out=go_on)
    return list(L.beam_search_decode(ids, scores, beams, end)), None


def stepper(state, extra=None):
    """A StateCell whose step reads a word and, with `extra`, a second input."""
    names = ["word"] + ([extra] if extra else [])
    cell = StateCell(dict.fromkeys(names), {"h": InitState(state, need_reorder=True)}, "h")

    @cell.state_updater
    def step(cell):
        read = [cell.get_state("h")] + [cell.get_input(name) for name in names]
        cell.set_state("h", L.fc(read, SIZE, act="tanh"))

    return cell


def decoder_in_training(steps, lengths, words, context, first):
    """TrainingDecoder, with an input that every step sees."""
    decoder = TrainingDecoder(stepper(encoded(words), "all"))
    with decoder.block():
        word, everywhere = decoder.step_input(context), decoder.static_input(first)
        decoder.state_cell.compute_state({"word": word, "all": everywhere})
        decoder.output(L.fc(decoder.state_cell.get_state("h"), VOCABULARY, act="softmax"))
        decoder.state_cell.update_states()
    probabilities = decoder()
    return [probabilities], L.mean(L.square(probabilities))


def decoder_of_beams(extra):
    def build(steps, lengths, words, context, first):
        first_ids = L.data("first_ids", [1], dtype="int64", lod_level=2)
        first_scores = L.data("first_scores", [1], dtype="float32", lod_level=2)
        decoder = BeamSearchDecoder(
            stepper(encoded(words), "all" if extra else None),
            first_ids,
            first_scores,
            target_dict_dim=VOCABULARY,
            word_dim=3,
            input_var_dict={"all": first} if extra else {},
            topk_size=4,
            max_len=5,
            beam_size=2,
        )
        decoder.decode()
        return list(decoder()), None

    return build


NETWORKS = {
    "decoder_in_training": decoder_in_training,
    "decoder_of_beams": decoder_of_beams(False),
    "decoder_of_beams_with_input": decoder_of_beams(True),
    "translation_training": translation_training,
    "translation": translation,
    "basic_lstm": both_ways,
    "basic_gru": layers_of_gru,
    "basic_units": units,
    "lstm_cell": run_cell(L.LSTMCell),
    "gru_cell_of_cut_sequences": run_cell(L.GRUCell, cut=True),
    "lstm_cell_backwards": run_cell(L.LSTMCell, cut=True, is_reverse=True),
    "gru_cell_time_major": run_cell(L.GRUCell, time_major=True, is_reverse=True),
    "static_rnn": static_rnn,
    "dynamic_rnn": dynamic_rnn,
    "beam_search_gru": beam_search("GRUCell"),
    # Not with is_test, where 1.8.5 takes one variable for two: which beams have ended, and which ever had.
    "beam_search_lstm": beam_search("LSTMCell", output_time_major=True),
    "training_helper": decode(L.GRUCell, "training"),
    "training_helper_imputed": decode(L.LSTMCell, "training", impute_finished=True),
    "greedy_helper": decode(L.LSTMCell, "greedy", max_step_num=6),
}


def run(name):
    """{"outputs": [values], "lods": [lengths], "gradients": {parameter or input: values}} of one network."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        outputs, loss = NETWORKS[name](*declare())
        if loss is not None:
            fluid.backward.append_backward(loss)
    parameters = sorted(p.name for p in main.all_parameters())
    wanted = [n for n in parameters + ["steps", "words", "context", "first"] if loss is not None]
    wanted = [n for n in wanted if main.global_block().has_var(n + "@GRAD")]
    executor, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    with fluid.scope_guard(scope):
        executor.run(startup)
        for number, parameter in enumerate(parameters):
            shape = main.global_block().var(parameter).shape
            value = np.random.RandomState(number).uniform(-1.5, 1.5, shape).astype("float32")
            scope.find_var(parameter).get_tensor().set(value, fluid.CPUPlace())
        fetches = [tensor.name for tensor in outputs] + [n + "@GRAD" for n in wanted]
        fed = {name: value for name, value in inputs().items() if main.global_block().has_var(name)}
        fetched = executor.run(main, fed, fetches, return_numpy=False)
    values = [np.array(tensor) for tensor in fetched]
    return {
        "outputs": values[: len(outputs)],
        "lods": [tensor.recursive_sequence_lengths() for tensor in fetched[: len(outputs)]],
        "gradients": dict(zip(wanted, values[len(outputs) :])),
    }
