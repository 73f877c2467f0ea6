"""Wrong arguments get errors that say what was expected and what came."""

import numpy as np
import pytest
from tests.hapi.digits import MODES, Digits, batch, in_mode, inputs, labels, prepared

import paddle.fluid as fluid
from paddle.incubate.hapi.loss import CrossEntropy, Loss
from paddle.incubate.hapi.metrics import Accuracy, Metric
from paddle.incubate.hapi.model import Input, Model, set_device
from paddle.incubate.hapi.vision.models import LeNet


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"optimizer": "adam"}, "optimizer must be an Optimizer, got str"),
        ({"loss_function": fluid.layers.cross_entropy}, "loss_function must be a Loss, got function"),
        ({"metrics": "acc"}, "metrics must be Metric objects, got str"),
        ({"inputs": [np.zeros(3)]}, "inputs must be Inputs, got ndarray"),
        ({"inputs": {"picture": Input([1])}}, r"inputs names \['picture'\], but forward takes \['inputs'\]"),
        ({"labels": [Input([1], name="a"), Input([1], name="a")]}, r"must have names of their own, got .*'a', 'a'"),
        ({"inputs": Input([1], name="a"), "labels": Input([1], name="a")}, "inputs and labels must have names of"),
        ({"device": "tpu"}, "device must be 'cpu' or 'gpu', got 'tpu'"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_prepare(mode, arguments, message):
    with in_mode(mode):
        with pytest.raises(RuntimeError, match=message):
            LeNet().prepare(**{"inputs": inputs(), "labels": labels(), **arguments})


def test_an_optimizer_without_a_loss():
    with pytest.raises(ValueError, match="the optimizer needs a loss_function"):
        LeNet().prepare(fluid.optimizer.SGD(0.1), inputs=inputs(), labels=labels())


def test_the_static_mode_needs_inputs_and_the_labels_that_are_compared_with():
    with pytest.raises(ValueError, match="inputs must be given in the static mode"):
        LeNet().prepare()
    with pytest.raises(ValueError, match=r"every output needs a label, got 1 outputs and 0 labels; give prepare\(\)"):
        LeNet().prepare(loss_function=CrossEntropy(), inputs=inputs())
    with pytest.raises(ValueError, match=r"Accuracy: needs an output and a label, got no label; give prepare\(\)"):
        LeNet().prepare(metrics=Accuracy(), inputs=inputs())


def test_the_imperative_mode_needs_neither():
    with in_mode("imperative"):
        model = LeNet()
        model.prepare(fluid.optimizer.SGD(0.1, parameter_list=model.parameters()), CrossEntropy())
        model.fit(Digits(4), batch_size=2, verbose=0)


@pytest.mark.parametrize("mode", MODES)
def test_what_was_not_prepared(mode):
    image, label = batch()
    with in_mode(mode):
        model = LeNet()
        for call in (
            lambda: model.fit(Digits(4)),
            lambda: model.evaluate(Digits(4)),
            lambda: model.predict(Digits(4)),
            lambda: model.train_batch([image], [label]),
        ):
            with pytest.raises(RuntimeError, match=r"call prepare\(...\) first"):
                call()
        model.prepare(inputs=inputs())
        with pytest.raises(RuntimeError, match="fit: there is no optimizer; give one to prepare"):
            model.fit(Digits(4))
        with pytest.raises(RuntimeError, match="evaluate: there is nothing to evaluate"):
            model.evaluate(Digits(4))


@pytest.mark.parametrize("mode", MODES)
def test_a_model_of_one_mode_used_in_the_other(mode):
    with in_mode(mode):
        model = prepared()
    with in_mode(*set(MODES) - {mode}):
        with pytest.raises(
            TypeError, match=f"fit: the model was made in the {mode} mode, but the imperative mode is o"
        ):
            model.fit(Digits(4))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"train_data": None}, "fit: train_data must be given"),
        ({"train_data": 5}, "fit: train_data must be a Dataset, a loader, a list of batches or a function, got int"),
        ({"train_data": iter([])}, "fit: train_data: a list_iterator can be read once only"),
        ({"train_data": []}, "fit: train_data: there is no batch in it"),
        ({"train_data": [[]]}, "a batch must have at least one field"),
        ({"train_data": [{"image": 1}]}, "a batch must be a list of arrays, got a dict"),
        ({"train_data": [batch()[:1]]}, "fit: train_data: a batch must have 1 inputs and 1 labels, .*got 1 fields"),
        (
            {"train_data": [[*batch(), batch()[1]]]},
            "fit: train_data: a batch must have 1 inputs and 1 labels, .*got 3 fields",
        ),
        ({"batch_size": 0}, "batch_size must be an int of at least 1, got 0"),
        ({"epochs": 0}, "epochs must be an int of at least 1, got 0"),
        ({"eval_freq": 0.5}, "eval_freq must be an int of at least 1, got 0.5"),
        ({"num_workers": -1}, "num_workers=-1"),
        ({"callbacks": [print]}, "callbacks must be Callback objects"),
        ({"verbose": 7}, "verbose must be 0"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_fit(mode, arguments, message):
    with in_mode(mode):
        model = prepared()
        with pytest.raises(RuntimeError, match=message):
            model.fit(**{"train_data": Digits(4), "batch_size": 4, "verbose": 0, **arguments})


@pytest.mark.parametrize("mode", MODES)
def test_an_error_in_the_data_set_reaches_the_caller(mode):
    class Broken(Digits):
        def __getitem__(self, i):
            if i == 3:
                raise KeyError("sample 3 is lost")
            return super().__getitem__(i)

    with in_mode(mode):
        with pytest.raises(KeyError, match="sample 3 is lost"):
            prepared().fit(Broken(8), batch_size=2, shuffle=False, verbose=0)


@pytest.mark.parametrize("mode", MODES)
def test_accuracy_wants_labels_in_a_column(mode):
    image, label = batch()
    with in_mode(mode):
        model = LeNet()
        with pytest.raises(ValueError, match=r"Accuracy: the label must be int64 \[-?\d+, 1\]"):
            flat = [Input([None], "int64", name="label")]
            model.prepare(metrics=Accuracy(), inputs=inputs(), labels=flat)
            model.eval_batch([image], [label[:, 0]])
    with pytest.raises(ValueError, match="topk must be numbers of at least 1, got"):
        Accuracy(topk=(0, 1))


def test_classes_that_lack_their_methods():
    with pytest.raises(NotImplementedError, match=r"Loss must define forward\(outputs, labels\)"):
        Loss()([], [])
    for method in ("reset", "update", "accumulate", "name"):
        with pytest.raises(NotImplementedError, match=f"Metric must define {method}"):
            getattr(Metric(), method)()


def test_one_loss_for_each_output():
    with pytest.raises(ValueError, match="every output needs a label, got 1 outputs and 2 labels"):
        two = [Input([None, 1], "int64", name=name) for name in "ab"]
        LeNet().prepare(loss_function=CrossEntropy(), inputs=inputs(), labels=two)


def test_a_model_that_forgot_to_call_init():
    class Forgetful(Model):
        def __init__(self):
            pass

        def forward(self, x):
            return x

    with pytest.raises(RuntimeError, match="Forgetful was not initialised"):
        Forgetful().fit(Digits(4))


def test_inputs_and_devices():
    with pytest.raises(ValueError, match="Input: shape must be a list of sizes, got None"):
        Input()
    assert Input([None, 3]).name != Input([None, 3]).name
    assert set_device("cpu") == fluid.CPUPlace()
    with pytest.raises(ValueError, match="device must be 'cpu' or 'gpu'"):
        set_device("CPU")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("given", "told"),
    [(lambda x: {"out": x}, "{'out': .}"), (lambda x: (x, [x, x]), r"\(., \[., .\]\)"), (lambda x: None, "None")],
)
def test_outputs_that_are_no_variables(mode, given, told):
    class Odd(Model):
        def forward(self, image):
            return given(image)

    with in_mode(mode):
        model = Odd()
        with pytest.raises(ValueError, match=f"Odd: forward must give a variable or a list of variables, got {told}"):
            model.prepare(inputs=inputs())
            model.test_batch(batch()[0])
