"""Where batches may come from, and what becomes of those who read ahead."""

import multiprocessing

import numpy as np
import pytest
from tests.hapi.digits import MODES, Digits, batch, in_mode, inputs, labels, prepared
from tests.leftovers import no_new_thread

import paddle.fluid as fluid
from paddle.incubate.hapi.callbacks import Callback
from paddle.incubate.hapi.loss import CrossEntropy
from paddle.incubate.hapi.model import Input, Model


class Sizes(Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_train_batch_end(self, step, logs=None):
        self.seen.append(logs["batch_size"])


def fitted(data, **options):
    sizes = Sizes()
    prepared().fit(data, verbose=0, callbacks=sizes, **options)
    return sizes.seen


def loader(mode, **options):
    feeds = None if mode == "imperative" else [one.forward() for one in [*inputs(), *labels()]]
    places = None if mode == "imperative" else fluid.CPUPlace()
    return fluid.io.DataLoader(Digits(10), feeds, places, return_list=True, batch_size=4, **options)


def generated(mode):
    feeds = None if mode == "imperative" else [one.forward() for one in [*inputs(), *labels()]]
    made = fluid.io.DataLoader.from_generator(feeds, capacity=2, return_list=True)
    return made.set_batch_generator(lambda: iter([batch(4), batch(2)]), places=fluid.CPUPlace())


@pytest.mark.parametrize("mode", MODES)
def test_all_kinds_of_data(mode):
    with in_mode(mode):
        assert fitted(Digits(10), batch_size=4) == [4, 4, 2]
        assert fitted(Digits(10), batch_size=4, drop_last=True) == [4, 4]
        assert fitted(Digits(10), batch_size=4, num_workers=1, epochs=2) == [4, 4, 2] * 2
        assert fitted(loader(mode)) == [4, 4, 2]
        assert fitted(generated(mode), epochs=2) == [4, 2, 4, 2]
        assert fitted([batch(3), batch(1)], epochs=2) == [3, 1, 3, 1]
        assert fitted(lambda: iter([batch(3), batch(1)]), epochs=2) == [3, 1, 3, 1]


def test_batches_of_a_loader_of_dictionaries_are_refused():
    feeds = [one.forward() for one in [*inputs(), *labels()]]
    data = fluid.io.DataLoader(Digits(10), feeds, fluid.CPUPlace(), batch_size=4)
    with pytest.raises(TypeError, match="a batch must be a list of arrays, got a dict; make the loader return lists"):
        fitted(data)


def test_shuffling_follows_the_seed_and_can_be_turned_off():
    class Seen(Digits):
        order = []

        def __getitem__(self, i):
            self.order.append(i)
            return super().__getitem__(i)

    orders = []
    for options in ({}, {}, {"shuffle": False}):
        Seen.order = []
        np.random.seed(4)
        fitted(Seen(20), batch_size=5, **options)
        orders.append(Seen.order)
    assert orders[0] == orders[1] != orders[2] == list(range(20))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("workers", [0, 1])
def test_a_run_that_breaks_leaves_no_thread_and_no_process(mode, workers):
    class Enough(Callback):
        def on_train_batch_end(self, step, logs=None):
            raise KeyboardInterrupt

    with in_mode(mode):
        model = prepared()
        with no_new_thread(), pytest.raises(KeyboardInterrupt):
            model.fit(Digits(200), batch_size=2, num_workers=workers, verbose=0, callbacks=Enough())
        assert not multiprocessing.active_children()


@pytest.mark.parametrize("mode", MODES)
def test_predictions_have_a_list_for_every_output_and_an_array_for_every_batch(mode):
    with in_mode(mode):
        model = prepared()
        outputs = model.predict(Digits(10), batch_size=4)
        assert [[array.shape for array in arrays] for arrays in outputs] == [[(4, 10), (4, 10), (2, 10)]]
        (stacked,) = model.predict(Digits(10), batch_size=4, stack_outputs=True)
        assert np.array_equal(stacked, np.concatenate(outputs[0]))
        images = [(image, *rest) for image, *rest in [batch(3)]]
        assert model.predict(images)[0][0].shape == (3, 10)  # the label is left aside
        assert model.predict([[batch(3)[0]]])[0][0].shape == (3, 10)
        with pytest.raises(ValueError, match="forward takes 1 inputs|at least one field"):
            model.predict([[]])


@pytest.mark.parametrize("mode", MODES)
def test_inputs_and_labels_in_lists_of_their_own(mode):
    images, digits = batch(4)
    with in_mode(mode):
        model = prepared()
        expected = model.evaluate([(images, digits)], verbose=0)
        assert model.evaluate([([images], [digits])], verbose=0) == expected
        assert model.evaluate([[(images,), digits]], verbose=0) == expected
        assert model.evaluate([[images.tolist(), digits.tolist()]], verbose=0) == expected
        assert len(model.predict([([images], [])])[0]) == 1


@pytest.mark.parametrize("mode", MODES)
def test_samples_in_place_of_fields_are_refused(mode):
    images, digits = batch(4)
    with in_mode(mode):
        with pytest.raises(ValueError, match="a batch must have 1 inputs and 1 labels, all as arrays .* got 8 fields"):
            prepared().fit([list(zip(images, digits))], verbose=0)


def test_a_batch_of_sequences_has_as_many_samples_as_sequences():
    class Words(Model):
        def __init__(self):
            super().__init__()
            self.fc = fluid.dygraph.Linear(2, 2)

        def forward(self, x):
            return fluid.layers.softmax(fluid.layers.sequence_pool(self.fc(x), "sum"))

    class Ragged(Input):
        def forward(self):
            return fluid.data(self.name, self.shape, self.dtype, lod_level=1)

    rows = np.random.RandomState(0).rand(6, 2).astype("float32")
    first = fluid.create_lod_tensor(rows, [[1, 3, 2]], fluid.CPUPlace())
    second = fluid.create_lod_tensor(rows, [[6]], fluid.CPUPlace())
    with in_mode("static"):
        model = Words()
        model.prepare(None, CrossEntropy(), None, Ragged([None, 2], name="x"), labels())
        batches = [(first, np.array([[0], [1], [0]])), (second, np.array([[1]]))]
        one, two = (model.eval_batch(*fields)[0][0] for fields in batches)
        np.testing.assert_allclose(model.evaluate(batches, verbose=0)["loss"], (3 * one + two) / 4, rtol=1e-5)
