"""Mistakes of the imperative mode."""

import functools

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import dygraph
from tests.errors.mistakes import table

layers = fluid.layers
mistake = functools.partial(table.mistake, imperative=True)


def _ones(*shape):
    return dygraph.to_variable(np.ones(shape, "float32"))


@mistake("fc", "Variable", "ndarray")
def an_array_given_to_a_layer():
    layer = dygraph.Linear(4, 3)
    layer(np.ones([2, 4], "float32"))  # <-


@mistake("Linear", "4", "5")
def an_input_of_another_width():
    layer = dygraph.Linear(4, 3)
    layer(_ones(2, 5))  # <-


@mistake("conv2d", "takes 3", "has 1 channels")
def an_image_with_other_channels():
    layer = dygraph.Conv2D(3, 8, 3)
    layer(_ones(2, 1, 8, 8))  # <-


@mistake("Linear", "forward takes (input)", "(VarBase, VarBase)")
def a_layer_called_with_two_inputs():
    layer = dygraph.Linear(4, 3)
    layer(_ones(2, 4), _ones(2, 4))  # <-


@mistake("elementwise_add", "[2, 3]", "[2, 4]")
def a_sum_of_other_shapes():
    x, y = _ones(2, 3), _ones(2, 4)
    x + y  # <-


@mistake("to_variable", "a numpy array", "str")
def a_variable_of_a_text():
    dygraph.to_variable("a text")  # <-


@mistake("float", "one element", "[2, 3]")
def a_number_of_many():
    x = _ones(2, 3)
    float(x)  # <-


@mistake("lookup_table_v2", "rows 0 to 9", "12")
def a_word_beyond_the_table():
    layer = dygraph.Embedding([10, 4])
    layer(dygraph.to_variable(np.array([[12]])))  # <-


@mistake("Net.__init__", "super(Net, self).__init__()", "'fc'")
def a_layer_that_forgets_its_super_init():
    class Net(dygraph.Layer):
        def __init__(self):
            self.fc = dygraph.Linear(4, 3)  # <-

    Net()


@mistake("Net", "forward", "must define")
def a_layer_without_a_forward():
    class Net(dygraph.Layer):
        pass

    Net()(_ones(2, 4))  # <-


@mistake("fetch_list", "variables of the program", "'generated_var_0'")
def a_fetch_of_the_other_mode():
    fluid.Executor().run(fluid.default_main_program(), fetch_list=[_ones(2)])  # <-


@mistake("relu", "to_variable", "static program")
def an_input_of_a_program_in_the_imperative_mode():
    x = fluid.data("x", [None, 4])
    layers.relu(x)  # <-


@mistake("backward", "elements", "3", warned=True)
def a_loss_of_many_elements():
    x = _ones(3)
    x.stop_gradient = False
    (x * x).backward()  # <-


@mistake("backward", "no_grad", "no gradient", warned=True)
def a_backward_under_no_grad():
    with dygraph.no_grad():
        loss = layers.mean(_ones(3))
        loss.backward()  # <-


@mistake("gradient", "stop_gradient = False", "stopped", warned=True)
def a_gradient_of_an_input_that_is_stopped():
    x, y = _ones(3), _ones(3)
    y.stop_gradient = False
    layers.mean(x * y).backward()
    x.gradient()  # <-


@mistake("backward", "retain_graph", "freed", warned=True)
def a_second_backward():
    x = _ones(3)
    x.stop_gradient = False
    loss = layers.mean(x)
    loss.backward()
    loss.backward()  # <-


@mistake("grad", "stop_gradient", "stopped")
def a_gradient_with_respect_to_a_stopped_input():
    x = _ones(3)
    dygraph.grad([layers.mean(x * 2.0)], [x])  # <-
