"""Callbacks are called in order, with the right logs."""

import numpy as np
import pytest
from tests.hapi.digits import MODES, Digits, in_mode, prepared

from paddle.incubate.hapi.callbacks import Callback, CallbackList, ModelCheckpoint, ProgBarLogger, config_callbacks

EVENTS = [
    f"on_{when}" for mode in ("train", "eval", "test")
    for when in (f"{mode}_begin", f"{mode}_end", f"{mode}_batch_begin", f"{mode}_batch_end")
] + ["on_epoch_begin", "on_epoch_end"]  # fmt: skip


class Recorder(Callback):
    """Remembers the events, their number and what the logs held."""

    def __init__(self):
        super().__init__()
        self.events = []

    def names(self):
        return [name for name, _, _ in self.events]

    def logs(self, event):
        return [logs for name, _, logs in self.events if name == event]


def _recording(event):
    def method(self, *args):
        number = args[0] if len(args) == 2 else None
        self.events.append((event, number, dict(args[-1] or {})))

    return method


for _event in EVENTS:
    setattr(Recorder, _event, _recording(_event))


@pytest.mark.parametrize("mode", MODES)
def test_the_order_of_a_training_with_evaluation(mode):
    recorder = Recorder()
    with in_mode(mode):
        prepared().fit(Digits(8), Digits(6), batch_size=4, epochs=2, verbose=0, callbacks=recorder)
    steps = ["on_train_batch_begin", "on_train_batch_end"] * 2
    evaluation = ["on_eval_begin", *["on_eval_batch_begin", "on_eval_batch_end"] * 2, "on_eval_end"]
    epoch = ["on_epoch_begin", *steps, "on_epoch_end", *evaluation]
    assert recorder.names() == ["on_train_begin", *epoch * 2, "on_train_end"]
    numbers = [number for name, number, _ in recorder.events if name == "on_epoch_begin"]
    assert numbers == [0, 1]


def test_evaluation_every_second_epoch():
    recorder = Recorder()
    prepared().fit(Digits(4), Digits(4), batch_size=4, epochs=3, eval_freq=2, verbose=0, callbacks=recorder)
    epochs = [name for name in recorder.names() if name in ("on_epoch_end", "on_eval_end")]
    assert epochs == ["on_epoch_end", "on_eval_end", "on_epoch_end", "on_epoch_end", "on_eval_end"]


@pytest.mark.parametrize("mode", MODES)
def test_what_logs_hold(mode):
    recorder = Recorder()
    with in_mode(mode):
        prepared().fit(Digits(7), Digits(6), batch_size=4, verbose=0, callbacks=[recorder])
    ends = recorder.logs("on_train_batch_end")
    assert [(logs["step"], logs["batch_size"]) for logs in ends] == [(0, 4), (1, 3)]
    assert all(isinstance(logs["loss"], list) and np.isfinite(logs["loss"][0]) for logs in ends)
    assert all(0 <= logs["acc"] <= 1 for logs in ends)
    assert recorder.logs("on_epoch_end") == [ends[-1]] == recorder.logs("on_train_end")
    assert recorder.logs("on_eval_begin") == [{"steps": 2, "metrics": ["loss", "acc"]}]
    assert set(recorder.logs("on_eval_end")[0]) == {"step", "batch_size", "loss", "acc"}
    assert recorder.params == {
        "batch_size": 4, "epochs": 1, "steps": 2, "verbose": 0, "metrics": ["loss", "acc"]
    }  # fmt: skip


def test_metrics_begin_anew_in_every_epoch():
    class Shares(Callback):
        seen = []

        def on_train_batch_end(self, step, logs=None):
            self.seen.append(self.model._metrics[0].count[0])

    prepared().fit(Digits(8), batch_size=4, epochs=2, verbose=0, callbacks=Shares())
    assert Shares.seen == [4, 8, 4, 8]


def test_evaluation_and_prediction_alone():
    model, recorder = prepared(), Recorder()
    model.evaluate(Digits(4), batch_size=2, verbose=0, callbacks=recorder)
    batches = ["on_eval_batch_begin", "on_eval_batch_end"] * 2
    assert recorder.names() == ["on_eval_begin", *batches, "on_eval_end"]
    recorder = Recorder()
    model.predict(Digits(4), batch_size=2, callbacks=[recorder, ProgBarLogger(verbose=0)])
    batches = ["on_test_batch_begin", "on_test_batch_end"] * 2
    assert recorder.names() == ["on_test_begin", *batches, "on_test_end"]
    assert recorder.logs("on_test_begin") == [{"steps": 2}]


def test_a_callback_sees_the_model_and_may_stop_a_run_by_raising():
    class Enough(Callback):
        def on_train_batch_end(self, step, logs=None):
            assert self.model is model
            if step == 1:
                raise KeyboardInterrupt

    model = prepared()
    with pytest.raises(KeyboardInterrupt):
        model.fit(Digits(20), batch_size=2, verbose=0, callbacks=Enough())
    assert model.train_batch(*[[value] for value in _one()])  # it still trains


def _one():
    image, label = Digits(1)[0]
    return image[None], label[None]


def test_the_logger_comes_first_and_the_checkpoint_last():
    mine = Recorder()
    kinds = [type(one) for one in config_callbacks(mine, save_dir="somewhere")]
    assert kinds == [ProgBarLogger, Recorder, ModelCheckpoint]
    own = [ModelCheckpoint(2, "elsewhere"), ProgBarLogger(5, 1)]
    assert list(config_callbacks(own, save_dir="somewhere")) == own


def test_callbacks_of_the_wrong_kind_are_refused():
    with pytest.raises(TypeError, match="callbacks must be Callback objects, got str"):
        CallbackList(["progress"])
    with pytest.raises(ValueError, match="mode must be one of"):
        CallbackList([]).on_begin("dance")
    with pytest.raises(ValueError, match="log_freq must be a number of steps of at least 1, got 0"):
        ProgBarLogger(log_freq=0)
    with pytest.raises(ValueError, match="verbose must be 0"):
        ProgBarLogger(verbose=3)
    with pytest.raises(ValueError, match="save_freq must be a number of epochs of at least 1, got -1"):
        ModelCheckpoint(save_freq=-1)
