"""Mistakes with losses, optimizers and schedules."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import dygraph
from tests.errors.mistakes.table import mistake

layers = fluid.layers
SGD = fluid.optimizer.SGD


def _loss():
    return layers.mean(layers.fc(fluid.data("x", [None, 4]), 1))


@mistake("append_backward", "one element", "[-1, 1]")
def a_loss_that_is_no_mean():
    y = layers.fc(fluid.data("x", [None, 4]), 1)
    SGD(0.1).minimize(y)  # <-


@mistake("minimize", "Variable", "float")
def a_loss_that_is_a_number():
    SGD(0.1).minimize(0.5)  # <-


@mistake("SGDOptimizer", "learning_rate", "'0.1'")
def a_rate_that_is_a_text():
    SGD("0.1")  # <-


@mistake("SGDOptimizer", "learning_rate", "None")
def an_optimizer_without_a_rate():
    SGD(None)  # <-


@mistake("minimize", "updates", "fc_0.w_0", warned=True)
def a_second_minimize():
    loss = _loss()
    SGD(0.1).minimize(loss)
    SGD(0.1).minimize(loss)  # <-


@mistake("minimize", "trainable parameter", "mean_0.tmp_0", warned=True)
def a_loss_without_parameters():
    loss = layers.mean(fluid.data("x", [None, 4]))
    SGD(0.1).minimize(loss)  # <-


@mistake("parameter_list", "a list of parameters", "Linear", imperative=True)
def a_layer_in_place_of_its_parameters():
    SGD(0.1, parameter_list=dygraph.Linear(4, 3))  # <-


@mistake("SGDOptimizer", "parameter_list", "empty", imperative=True, warned=True)
def an_optimizer_of_no_parameters():
    SGD(0.1, parameter_list=[])  # <-


@mistake("minimize", "loss.backward()", "no parameter has a gradient", imperative=True, warned=True)
def a_minimize_without_a_backward():
    layer = dygraph.Linear(4, 1)
    loss = layers.mean(layer(dygraph.to_variable(np.ones([2, 4], "float32"))))
    SGD(0.1, parameter_list=layer.parameters()).minimize(loss)  # <-


@mistake("SGDOptimizer", "an L1Decay or L2Decay", "float")
def a_number_in_place_of_a_regularizer():
    SGD(0.1, regularization=0.01)  # <-


@mistake("SGDOptimizer", "a GradientClip", "float")
def a_number_in_place_of_a_clip():
    SGD(0.1, grad_clip=5.0)  # <-


@mistake("PiecewiseDecay", "one more", "2 values for 2 boundaries", imperative=True, warned=True)
def a_schedule_with_a_value_too_few():
    dygraph.PiecewiseDecay([100, 200], [0.1, 0.01], begin=0)  # <-


@mistake("append_backward", "parameter_list", "'w_of_another'", warned=True)
def a_parameter_that_the_program_does_not_have():
    SGD(0.1).minimize(_loss(), parameter_list=["w_of_another"])  # <-


@mistake("accuracy", "[N, k]", "[1]")
def a_metric_of_the_wrong_shapes():
    layers.accuracy(fluid.data("x", [None]), fluid.data("label", [None, 1], "int64"))  # <-


@mistake("SGDOptimizer", "call it", "the class L2DecayRegularizer")
def a_regularizer_that_is_a_class():
    SGD(0.1, regularization=fluid.regularizer.L2Decay)  # <-


@mistake("cosine_decay", "division", "0")
def a_schedule_without_steps():
    layers.cosine_decay(0.1, 0, 10)  # <-


@mistake("SGDOptimizer.minimize", "a list of parameters", "str")
def a_parameter_list_that_is_a_name():
    loss = _loss()
    SGD(0.1).minimize(loss, parameter_list="fc_0.w_0")  # <-


@mistake("SGDOptimizer.minimize", "a set of variables or names", "'x'")
def a_set_without_gradients_that_is_a_name():
    loss = _loss()
    SGD(0.1).minimize(loss, no_grad_set="x")  # <-


@mistake("noam_decay", "d_model must be a number", "'512'")
def a_width_of_a_schedule_that_is_a_text():
    layers.noam_decay("512", 4000)  # <-


@mistake("linear_lr_warmup", "a number", "'slow'")
def a_rate_to_warm_up_to_that_is_a_word():
    layers.linear_lr_warmup("slow", 100, 0.0, 0.1)  # <-
