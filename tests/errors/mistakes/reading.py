"""Mistakes with readers, feeders and data sets."""

import numpy as np

import paddle
import paddle.fluid as fluid
from tests.errors.mistakes.table import mistake


def _inputs():
    return [fluid.data("x", [None, 4]), fluid.data("label", [None, 1], "int64")]


@mistake("DataFeeder", "2", "1")
def samples_with_a_field_too_few():
    feeder = fluid.DataFeeder(_inputs(), fluid.CPUPlace())
    feeder.feed([(np.ones(4, "float32"),)])  # <-


@mistake("feed", "[-1, 4]", "[1, 5]")
def samples_of_another_size():
    feeder = fluid.DataFeeder(_inputs(), fluid.CPUPlace())
    fluid.Executor().run(feed=feeder.feed([(np.ones(5, "float32"), 1)]), fetch_list=["x"])  # <-


@mistake("DataFeeder", "int64", "'cat'")
def a_label_that_is_a_word():
    feeder = fluid.DataFeeder(_inputs(), fluid.CPUPlace())
    feeder.feed([(np.ones(4, "float32"), "cat")])  # <-


@mistake("DataFeeder", "variable", "'missing'")
def a_feed_list_with_an_unknown_name():
    fluid.DataFeeder(["missing"], fluid.CPUPlace())  # <-


@mistake("batch", "a function", "list")
def a_list_in_place_of_a_reader():
    for _ in paddle.batch([1, 2, 3], batch_size=2)():  # <-
        pass


@mistake("batch", "batch_size", "0")
def a_batch_of_nothing():
    paddle.batch(lambda: iter([1]), batch_size=0)  # <-


@mistake("shuffle", "a function", "list")
def a_list_that_is_shuffled():
    for _ in paddle.reader.shuffle([1, 2, 3], 10)():  # <-
        pass


@mistake("DataLoader", "set_batch_generator", "no source")
def a_loader_without_a_generator():
    loader = fluid.io.DataLoader.from_generator(feed_list=_inputs(), capacity=2)
    for _ in loader():  # <-
        pass


@mistake("set_sample_list_generator", "generator", "list")
def a_loader_of_a_list():
    loader = fluid.io.DataLoader.from_generator(feed_list=_inputs(), capacity=2)
    loader.set_sample_list_generator([[1, 2]], fluid.CPUPlace())  # <-


@mistake("DataLoader", "2", "1")
def a_loader_whose_samples_lack_a_field():
    loader = fluid.io.DataLoader.from_generator(feed_list=_inputs(), capacity=2)
    loader.set_sample_list_generator(lambda: iter([[(np.ones(4, "float32"),)]]), fluid.CPUPlace())
    for _ in loader():  # <-
        pass


@mistake("feed", "[-1, 4]", "[2, 5]")
def a_loader_whose_batches_have_another_shape():
    loader = fluid.io.DataLoader.from_generator(feed_list=_inputs(), capacity=2)
    batches = [(np.ones([2, 5], "float32"), np.ones([2, 1], "int64"))]
    loader.set_batch_generator(lambda: iter(batches), fluid.CPUPlace())
    for feed in loader():
        fluid.Executor().run(feed=feed, fetch_list=["x"])  # <-


@mistake("DataFeeder.feed", "one of its batches", "function")
def a_reader_in_place_of_its_batch():
    feeder = fluid.DataFeeder(_inputs(), fluid.CPUPlace())
    feeder.feed(lambda: iter([]))  # <-


@mistake("shuffle", "a number of samples", "'a'")
def a_buffer_that_is_no_number():
    paddle.reader.shuffle(lambda: iter([1]), "a")  # <-


@mistake("firstn", "a number of samples", "'a'", warned=True)
def a_number_of_samples_that_is_a_letter():
    paddle.reader.firstn(lambda: iter([1]), "a")  # <-


@mistake("DataLoader", "variables", "'x'")
def a_loader_of_names():
    fluid.io.DataLoader.from_generator(feed_list=["x", "y"], capacity=2)  # <-


@mistake("buffered", "size must be a number", "'3'")
def a_buffer_of_threads_that_is_no_number():
    paddle.reader.buffered(lambda: iter([1]), "3")  # <-


@mistake("xmap_readers", "process_num must be a number", "'2'")
def a_number_of_threads_that_is_a_text():
    paddle.reader.xmap_readers(lambda sample: sample, lambda: iter([1]), "2", 4)  # <-


@mistake("batch", "an iterable of samples", "function")
def a_data_set_that_is_not_called():
    def train():
        return lambda: iter([1, 2])

    next(paddle.batch(train, 2)())  # <-


@mistake("buffered", "an iterable of samples", "function")
def a_data_set_that_is_not_called_and_read_by_a_thread():
    def train():
        return lambda: iter([1, 2])

    next(paddle.reader.buffered(train, 2)())  # <-


@mistake("multiprocess_reader", "an iterable of samples", "function")
def a_data_set_that_is_not_called_and_read_by_a_process():
    def train():
        return lambda: iter([1, 2])

    next(paddle.reader.multiprocess_reader([train])())  # <-


@mistake("set_use_var", "Variables", "'x'")
def a_data_set_for_names():
    fluid.DatasetFactory().create_dataset("QueueDataset").set_use_var(["x"])  # <-


@mistake("QueueDataset", "InMemoryDataset", "does not keep")
def a_queue_that_is_shuffled():
    fluid.DatasetFactory().create_dataset("QueueDataset").local_shuffle()  # <-
