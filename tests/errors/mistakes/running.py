"""Mistakes with the executor, feeds and fetches."""

from unittest import mock

import numpy as np

import paddle.fluid as fluid
from tests.errors.mistakes.table import mistake

layers = fluid.layers


def _ready():
    x = fluid.data("x", [None, 4])
    y = layers.fc(x, 3)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe, y


@mistake("startup program", "fc_0.w_0", "no value")
def a_run_before_the_startup_program():
    y = layers.fc(fluid.data("x", [None, 4]), 3)
    fluid.Executor().run(feed={"x": np.ones([2, 4], "float32")}, fetch_list=[y])  # <-


@mistake("feed", "[-1, 4]", "[2, 5]")
def a_feed_of_another_shape():
    exe, y = _ready()
    exe.run(feed={"x": np.ones([2, 5], "float32")}, fetch_list=[y])  # <-


@mistake("feed", "float32", "float64")
def a_feed_of_another_dtype():
    exe, y = _ready()
    exe.run(feed={"x": np.ones([2, 4])}, fetch_list=[y])  # <-


@mistake("feed", "its data are x", "'X'", warned=True)
def a_feed_under_another_name():
    exe, _ = _ready()
    exe.run(feed={"X": np.ones([2, 4], "float32")})  # <-


@mistake("feed 'x'", "float32", "['a', 'b']")
def a_feed_of_words():
    exe, y = _ready()
    exe.run(feed={"x": ["a", "b"]}, fetch_list=[y])  # <-


@mistake("mul reads it", "'x' is missing", "nothing")
def a_feed_that_is_missing():
    exe, y = _ready()
    exe.run(fetch_list=[y])  # <-


@mistake("feed", "dict", "ndarray")
def a_feed_that_is_an_array():
    exe, y = _ready()
    exe.run(feed=np.ones([2, 4], "float32"), fetch_list=[y])  # <-


@mistake("feed", "same length", "[[1, 2], [3]]")
def a_feed_of_ragged_lists():
    exe, y = _ready()
    exe.run(feed={"x": [[1, 2], [3]]}, fetch_list=[y])  # <-


@mistake("feed", "numpy", "Variable")
def a_feed_that_is_a_variable():
    exe, y = _ready()
    exe.run(feed={"x": y}, fetch_list=[y])  # <-


@mistake("fetch_list", "variable", "'fc_9.tmp_1'")
def a_fetch_that_does_not_exist():
    exe, _ = _ready()
    exe.run(feed={"x": np.ones([2, 4], "float32")}, fetch_list=["fc_9.tmp_1"])  # <-


@mistake("fetch_list", "variable", "int 5")
def a_fetch_that_is_a_number():
    exe, _ = _ready()
    exe.run(feed={"x": np.ones([2, 4], "float32")}, fetch_list=[5])  # <-


@mistake("Executor.run", "Program", "Variable")
def a_run_of_a_variable():
    exe, y = _ready()
    exe.run(y, feed={"x": np.ones([2, 4], "float32")})  # <-


@mistake("Executor.run", "Executor.run", "closed")
def a_run_of_a_closed_executor():
    exe, y = _ready()
    exe.close()
    exe.run(feed={"x": np.ones([2, 4], "float32")}, fetch_list=[y])  # <-


@mistake("Executor", "CPUPlace", "'cpu'")
def a_place_that_is_a_text():
    fluid.Executor("cpu")  # <-


@mistake("cross_entropy", "10", "12")
def a_label_beyond_the_classes():
    x, label = fluid.data("x", [None, 10]), fluid.data("label", [None, 1], "int64")
    loss = layers.cross_entropy(layers.softmax(x), label)  # <-
    feed = {"x": np.ones([2, 10], "float32"), "label": np.array([[1], [12]])}
    fluid.Executor().run(feed=feed, fetch_list=[loss])


@mistake("lookup_table", "10", "11")
def an_id_beyond_the_table():
    ids = fluid.data("ids", [None, 1], "int64")
    rows = layers.embedding(ids, size=[10, 4])  # <-
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    exe.run(feed={"ids": np.array([[11]])}, fetch_list=[rows])


@mistake("sequence_pool", "LoD", "X")
def sequences_that_are_fed_without_their_lengths():
    x = fluid.data("x", [None, 4], lod_level=1)
    y = layers.sequence_pool(x, "sum")  # <-
    fluid.Executor().run(feed={"x": np.ones([2, 4], "float32")}, fetch_list=[y])


@mistake("create_lod_tensor", "6", "5")
def lengths_that_do_not_add_up():
    fluid.create_lod_tensor(np.ones([5, 1], "float32"), [[2, 4]], fluid.CPUPlace())  # <-


@mistake("Executor.run", "fluid.Scope", "str")
def a_scope_that_is_a_name():
    exe, y = _ready()
    exe.run(feed={"x": np.ones([2, 4], "float32")}, fetch_list=[y], scope="global")  # <-


@mistake("feed 'x'", "float32", "complex64")
def a_feed_of_complex_numbers():
    exe, y = _ready()
    exe.run(feed={"x": np.ones([2, 4], "complex64")}, fetch_list=[y])  # <-


@mistake("Executor.run", "did you mean fc_0.tmp_1", "'fc_0.tmp'")
def a_fetch_with_a_slip_of_the_pen():
    exe, _ = _ready()
    exe.run(feed={"x": np.ones([2, 4], "float32")}, fetch_list=["fc_0.tmp"])  # <-


@mistake("LoDTensor.set_lod", "4 rows", "5")
def offsets_beyond_the_rows():
    words = fluid.LoDTensor()
    words.set(np.ones([4, 1], "int64"), fluid.CPUPlace())
    words.set_lod([[0, 2, 5]])  # <-


@mistake("CompiledProgram", "a BuildStrategy", "str")
def a_build_strategy_that_is_a_word():
    fluid.CompiledProgram(fluid.default_main_program(), build_strategy="fast")  # <-


@mistake("BuildStrategy", "a member of ReduceStrategy", "'Reduce'")
def a_reduction_by_its_name():
    fluid.BuildStrategy().reduce_strategy = "Reduce"  # <-


@mistake("BuildStrategy", "True or False", "'yes'")
def a_switch_that_is_a_word():
    fluid.BuildStrategy().fuse_broadcast_ops = "yes"  # <-


@mistake("ExecutionStrategy", "an int", "'4'")
def a_number_of_executor_threads_that_is_a_text():
    fluid.ExecutionStrategy().num_threads = "4"  # <-


@mistake("cpu_places", "an int", "'2'")
def a_number_of_places_that_is_a_text():
    fluid.cpu_places("2")  # <-


@mistake("CPU_NUM", "a number of places", "'two'")
def an_environment_with_a_word_for_the_number_of_places():
    with mock.patch.dict("os.environ", CPU_NUM="two"):
        fluid.cpu_places()  # <-


@mistake("scope_guard", "a Scope", "str")
def a_guard_for_the_name_of_a_scope():
    with fluid.scope_guard("mine"):  # <-
        pass
