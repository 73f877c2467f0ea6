"""Mistakes with saving and loading."""

import os
import tempfile

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import dygraph
from tests.errors.mistakes.table import mistake

layers = fluid.layers


def _model(width=3):
    x = fluid.data("x", [None, 4])
    y = layers.fc(x, width)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    return exe, x, y


def _folder():
    return tempfile.mkdtemp()


@mistake("load_inference_model", "folder", "nowhere")
def a_model_that_is_not_there():
    fluid.io.load_inference_model("nowhere", fluid.Executor())  # <-


@mistake("load_vars", "fc_0.w_0", "nowhere")
def parameters_that_are_not_there():
    exe, *_ = _model()
    fluid.io.load_params(exe, "nowhere")  # <-


@mistake("save_inference_model", "feeded_var_names", "Variable")
def variables_in_place_of_names():
    exe, x, y = _model()
    fluid.io.save_inference_model(_folder(), [x], [y], exe)  # <-


@mistake("save_inference_model", "target_vars", "'fc_0.tmp_1'")
def names_in_place_of_variables():
    exe, *_ = _model()
    fluid.io.save_inference_model(_folder(), ["x"], ["fc_0.tmp_1"], exe)  # <-


@mistake("save_inference_model", "its data are x", "'y'")
def an_input_that_the_program_does_not_have():
    exe, _, y = _model()
    fluid.io.save_inference_model(_folder(), ["y"], [y], exe)  # <-


@mistake("load_vars", "[4, 3]", "[4, 5]")
def parameters_of_another_model():
    folder = _folder()
    exe, *_ = _model(5)
    fluid.io.save_params(exe, folder)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        exe, *_ = _model(3)
        fluid.io.load_params(exe, folder)  # <-


@mistake("load_dygraph", "pdparams", "nowhere", imperative=True)
def a_state_that_is_not_there():
    fluid.load_dygraph("nowhere")  # <-


@mistake("set_dict", "[4, 3]", "[4, 5]", imperative=True)
def a_state_of_other_shapes():
    state = dygraph.Linear(4, 5).state_dict()
    dygraph.Linear(4, 3).set_dict(dict(zip(["weight", "bias"], state.values(), strict=True)))  # <-


@mistake("save_dygraph", "state_dict", "Linear", imperative=True)
def a_layer_in_place_of_its_state():
    layer = dygraph.Linear(4, 3)
    fluid.save_dygraph(layer, os.path.join(_folder(), "model"))  # <-


@mistake("set_dict", "dict", "str", imperative=True)
def a_path_in_place_of_a_state():
    dygraph.Linear(4, 3).set_dict("model.pdparams")  # <-


@mistake("load", "pdparams", "nowhere")
def a_program_state_that_is_not_there():
    exe, *_ = _model()
    fluid.load(fluid.default_main_program(), "nowhere", exe)  # <-


@mistake("__model__", "a program file", "no blocks")
def a_model_that_is_no_model():
    folder = _folder()
    with open(os.path.join(folder, "__model__"), "wb") as file:
        file.write(np.ones(10).tobytes())
    fluid.io.load_inference_model(folder, fluid.Executor())  # <-


@mistake("load_params", "the path of a folder", "Executor")
def arguments_of_load_params_in_the_wrong_order():
    exe, *_ = _model()
    fluid.io.load_params("folder", exe)  # <-


@mistake("predictor", "a list of PaddleTensor", "ndarray")
def a_predictor_that_is_given_an_array():
    exe, x, y = _model()
    folder = _folder()
    fluid.io.save_inference_model(folder, [x.name], [y], exe)
    predictor = fluid.core.create_paddle_predictor(fluid.core.AnalysisConfig(folder))
    predictor.run([np.ones([2, 4], "float32")])  # <-


@mistake("set_dict", "a dict", "NoneType", imperative=True)
def the_state_of_an_optimizer_that_was_not_saved():
    adam = fluid.optimizer.Adam(0.1, parameter_list=dygraph.Linear(4, 3).parameters())
    adam.set_dict(None)  # <-
